import { type ClassTransformOptions, plainToInstance } from 'class-transformer';
import {
  IS_DEFINED,
  validateSync,
  type ValidationError,
  type ValidatorOptions,
} from 'class-validator';
import { invalidParameter } from '../../errors/index.js';
import { rememberConstraints } from '../internals/class-validator.js';
import { type ParametersClass, parametersOf } from './declaration.js';
import { CONVERTED } from './declare.js';
import { RawSource } from './raw-source.js';
import { RULE } from './rules.js';

const CONVERSION: ClassTransformOptions = {
  excludeExtraneousValues: true,
  exposeUnsetFields: false,
};
const VALIDATION: ValidatorOptions = {
  forbidUnknownValues: false,
  stopAtFirstError: true,
  validationError: { target: false, value: false },
};

rememberConstraints();

/**
 * Reads the declared parameters of a class out of raw ones; whatever is not declared is ignored.
 *
 * @param position the position of `raw` in a list of objects, for error texts (`actions[0]`)
 * @throws DomainError `invalid-parameter` with the texts of all problems, in declaration order
 */
export function readParameters<T extends object>(
  type: ParametersClass<T>,
  raw: unknown,
  position?: string,
): T {
  const source = new RawSource(raw, position);
  const parameters = plainToInstance(type, source, CONVERSION);
  const errors = validateSync(parameters, VALIDATION);
  if (errors.length > 0) throw invalidParameter(textOf(errors, type, source));
  return parameters;
}

/** Problems of form are reported alone; without one, those of limits; then those of rules on several parameters. */
const STAGES = ['form', 'limits', 'rules'] as const;
type Stage = (typeof STAGES)[number];

/** What is wrong with one parameter. The text of a constraint begins with the name of the property. */
interface Problem {
  readonly property: string;
  readonly stage: Stage;
  readonly text: string;
}

/** The texts of the first stage that has problems. */
function textOf(errors: readonly ValidationError[], type: object, source: RawSource): string {
  const problems = errors.flatMap(problemsOf);
  const first = STAGES.find((stage) => problems.some((problem) => problem.stage === stage));
  // class-validator reports the parameters of a base class last.
  const declared = parametersOf(type);
  const order = declared.map(({ property }) => property);
  const nameOf = new Map(declared.map(({ property, name }) => [property, name]));
  return problems
    .filter(({ stage }) => stage === first)
    .sort((a, b) => order.indexOf(a.property) - order.indexOf(b.property))
    .map(({ property, text }) =>
      text.replace(property, () => source.spelled(nameOf.get(property) ?? property)),
    )
    .join(', ');
}

function problemsOf({ property, constraints = {} }: ValidationError): Problem[] {
  return Object.entries(constraints).map(([name, text]) => ({
    property,
    stage: stageOf(name),
    text,
  }));
}

function stageOf(constraint: string): Stage {
  if (constraint === IS_DEFINED || constraint === CONVERTED) return 'form';
  return constraint === RULE ? 'rules' : 'limits';
}
