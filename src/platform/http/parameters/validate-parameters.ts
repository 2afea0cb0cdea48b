import { getMetadataStorage, validateSync, ValidationTypes } from 'class-validator';
import { invalidParameter } from '../../errors/index.js';
import { isRecord, Refusal } from './conversions.js';
import {
  type GroupRule,
  type ParameterDeclaration,
  type ParametersClass,
  parametersOf,
  rulesOf,
} from './declaration.js';

/**
 * Reads the declared parameters of a class out of raw ones; whatever is not declared is ignored.
 * Only own properties are looked at, and nothing in `raw` is called or instantiated.
 *
 * @param place the position of `raw` in a list of objects, for error texts (`actions[0]`)
 * @throws DomainError `invalid-parameter` with the texts of all problems, in declaration order
 */
export function readParameters<T extends object>(
  type: ParametersClass<T>,
  raw: unknown,
  place?: string,
): T {
  const reading = new Reading(type, isRecord(raw) ? raw : {}, place);
  const texts = reading.problems();
  if (texts.length > 0) throw invalidParameter(texts.join(', '));
  return reading.target;
}

/** What does not change from request to request. */
interface Reader {
  readonly declared: readonly ParameterDeclaration[];
  readonly rules: readonly GroupRule[];
  /** Whether class-validator has anything to look at; its looking costs more than all the rest. */
  readonly constrained: boolean;
}

const readers = new WeakMap<ParametersClass, Reader>();

function readerOf(type: ParametersClass): Reader {
  const known = readers.get(type);
  if (known !== undefined) return known;
  const checks = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const reader = {
    declared: parametersOf(type),
    rules: rulesOf(type),
    constrained: checks.some(({ type }) => type !== ValidationTypes.CONDITIONAL_VALIDATION),
  };
  readers.set(type, reader);
  return reader;
}

/** One pass over the declared parameters of a class. */
class Reading<T extends object> {
  readonly target: T;
  private readonly reader: Reader;
  private readonly given = new Set<string>();

  constructor(
    type: ParametersClass<T>,
    private readonly source: Record<string, unknown>,
    private readonly place: string | undefined,
  ) {
    this.target = new type();
    this.reader = readerOf(type);
  }

  /** The texts of the first kind of problem there is: form, then limits, then rules on several. */
  problems(): string[] {
    const { declared, constrained, rules } = this.reader;
    const malformed = declared.flatMap((parameter) => this.take(parameter));
    if (malformed.length > 0) return malformed;
    const limits = constrained
      ? constraintTexts(this.target, declared, (name) => this.spelled(name))
      : [];
    if (limits.length > 0) return limits;
    return rules
      .map(({ check }) => check(this.given, declared))
      .filter((text) => text !== undefined);
  }

  private take(parameter: ParameterDeclaration): string[] {
    const name = this.spelled(parameter.name);
    const value = convertedValue(parameter, this.source, name);
    if (value instanceof Refusal) return [`${name} ${value.text}`];
    if (value === undefined) return parameter.required ? [`${name} is missing`] : [];
    this.given.add(parameter.name);
    Reflect.set(this.target, parameter.name, value);
    return [];
  }

  private spelled(name: string): string {
    return this.place === undefined ? name : `${this.place}[${name}]`;
  }
}

function convertedValue(
  parameter: ParameterDeclaration,
  source: Record<string, unknown>,
  name: string,
): unknown {
  const raw = rawValue(parameter, source);
  if (raw === undefined) return undefined;
  if (raw === null) return parameter.nullable ? null : undefined;
  const value = parameter.convert(raw, name);
  if (value instanceof Refusal && parameter.refuse) throw parameter.refuse(name);
  return value;
}

function rawValue(parameter: ParameterDeclaration, source: Record<string, unknown>): unknown {
  const spelling = [parameter.name, ...parameter.aliases].find((name) =>
    Object.hasOwn(source, name),
  );
  return spelling === undefined ? undefined : source[spelling];
}

// class-validator reports by property, a base class's last; clients get declaration order. The texts of
// constraints begin with the property's name.
function constraintTexts(
  target: object,
  declared: readonly ParameterDeclaration[],
  spelled: (name: string) => string,
): string[] {
  const errors = validateSync(target, { forbidUnknownValues: false, stopAtFirstError: true });
  const order = (name: string): number =>
    declared.findIndex((parameter) => parameter.name === name);
  return errors
    .sort((a, b) => order(a.property) - order(b.property))
    .flatMap(({ property, constraints }) =>
      Object.values(constraints ?? {}).map((text) =>
        text.replace(property, () => spelled(property)),
      ),
    );
}
