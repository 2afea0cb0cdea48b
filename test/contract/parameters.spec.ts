/** @campaign hostile-inputs */
import { MODULE_METADATA } from '@nestjs/common/constants.js';
import { assert, jsonValue, property } from 'fast-check';
import { MAX_ID, UNKNOWN_ID } from '../../src/platform/database/index.js';
import { DomainError } from '../../src/platform/errors/index.js';
import { answerOf } from '../../src/platform/http/errors/refusal-answers.js';
import { type ParametersClass, validateParameters } from '../../src/platform/http/index.js';
import { routeArguments } from '../../src/platform/http/internals/nest.js';
import { parametersOf } from '../../src/platform/http/parameters/declaration.js';
import { ReceivedFile } from '../../src/platform/http/request/body/file-parts.js';
import { removeHarmful } from '../../src/platform/http/request/sanitize.js';
import { parseQueryString } from '../../src/platform/http/request/form-fields.js';
import { ConsoleModule } from '../../src/modules/console/index.js';
import { WebModule } from '../../src/modules/web/index.js';
import { ROOM_MODULES } from '../../src/bootstrap/rooms.js';
import { BRIEF_PARTS, HOSTILE_VALUES, hostileQueries } from '../support/hostile.js';
import { lengthOf, seedOf } from '../support/lengths.js';
import { valueOf } from './support/call.js';
import {
  handlerNamed,
  documentedOperations,
  documentedParameters,
  documentedPathValues,
  handlerOf,
  type Schema,
} from './support/operations.js';

const SEED = seedOf(20_170_109);
const RUNS = lengthOf({ brief: 20, campaign: 2_000 });
/** As large as a body may be. */
const LONG_TEXTS = BRIEF_PARTS.map((part) => part.repeat(1_000_000 / Buffer.byteLength(part)));

/** The parameters that a handler declares, and the schemas that the interface document has of them. */
interface Declared {
  readonly type: ParametersClass;
  readonly schemas: Readonly<Record<string, Schema>>;
}

/** By handler. */
function declaredParameters(): [string, Declared][] {
  const documented = documentedParameters();
  // Pages are no part of the interface.
  const pages: unknown[] = [ConsoleModule, WebModule];
  const rooms = ROOM_MODULES.filter((room) => !pages.includes(room));
  const controllers = rooms.flatMap(
    (room) => (Reflect.getMetadata(MODULE_METADATA.CONTROLLERS, room) ?? []) as ParametersClass[],
  );
  return controllers.flatMap((controller) =>
    Object.getOwnPropertyNames(controller.prototype).flatMap((method) => {
      const handler = handlerNamed(controller, method);
      return routeArguments(controller, method).flatMap(({ source, type }) => {
        if (source === 'response' || typeof type !== 'function') return [];
        const schemas = documented.get(handler) ?? {};
        return parametersOf(type).length === 0
          ? []
          : [[handler, { type: type as ParametersClass, schemas }] as [string, Declared]];
      });
    }),
  );
}

describe('the declared parameters', () => {
  const declared = declaredParameters();

  it('cover every documented operation with parameters', () => {
    const taking = documentedOperations()
      .map(handlerOf)
      .filter((handler) => Object.keys(documentedParameters().get(handler) ?? {}).length > 0);
    expect([...new Set(declared.map(([handler]) => handler))].sort()).toEqual(
      [...new Set(taking)].sort(),
    );
  });

  it.each(declared)(
    `of %s refuse or convert any value (seed ${String(SEED)})`,
    (_, { type, schemas }) => {
      const samples = Object.fromEntries(
        parametersOf(type)
          .filter(({ required }) => required)
          .map(({ name }) => [name, sampleOf(name, schemas[name] ?? {})]),
      );
      for (const { name, aliases } of parametersOf(type)) {
        const schema = schemas[name] ?? {};
        const complain = (raw: Record<string, unknown>): string | undefined =>
          complaintAbout(type, name, schema, { ...samples, ...raw });
        const raws = HOSTILE_VALUES.flatMap(({ value }) =>
          [name, ...aliases].map((spelling) => ({ [spelling]: structuredClone(value) })),
        );
        const queries = hostileQueries(name).map(
          (query) => parseQueryString(`/?${query}`).parameters,
        );
        for (const raw of [...raws, ...queries]) {
          expect([name, raw, complain(raw)]).toEqual([name, raw, undefined]);
        }
        for (const text of LONG_TEXTS) {
          expect([name, complain({ [name]: text })]).toEqual([name, undefined]);
        }
        assert(
          property(jsonValue({ maxDepth: 3 }), (value) => {
            expect(complain({ [name]: value })).toBeUndefined();
          }),
          { seed: SEED, numRuns: RUNS },
        );
      }
    },
  );

  it('are absent for keys without =', () => {
    for (const [handler, { type }] of declared) {
      const names = parametersOf(type).flatMap(({ name, aliases }) => [name, ...aliases]);
      const query = names.flatMap((name) => [name, `${name}[]`, `${name}[a]`]).join('&');
      expect([handler, { ...parseQueryString(`/?${query}`).parameters }]).toEqual([handler, {}]);
    }
  });
});

// The guard checks and converts the values that a handler takes as number.
describe('values in paths that end in _id', () => {
  it('are numbers, except of discussions, and of projects that may be named by path', () => {
    const others = documentedPathValues().filter(
      ({ name, schema }) =>
        name.endsWith('_id') && name !== 'discussion_id' && schema.type !== 'integer',
    );
    expect(others.map(({ operation }) => operation)).toEqual([
      'POST /api/v3/groups/{id}/projects/{project_id}',
      'POST /api/v3/projects/{id}/fork/{forked_from_id}',
      'POST /api/v4/groups/{id}/projects/{project_id}',
      'POST /api/v4/projects/{id}/fork/{forked_from_id}',
    ]);
  });
});

/** What is wrong with what becomes of a raw value: a failure, or a value that the document excludes. */
function complaintAbout(
  type: ParametersClass,
  name: string,
  schema: Schema,
  raw: Record<string, unknown>,
): string | undefined {
  try {
    const harm = removeHarmful(raw);
    if (harm !== undefined) throw harm;
    const read = validateParameters(type, raw) as Record<string, unknown>;
    return isWithin(schema, read[name]) ? undefined : `becomes ${JSON.stringify(read[name])}`;
  } catch (error) {
    if (!(error instanceof DomainError)) return String(error);
    const { status } = answerOf(error);
    return status === 400 ? undefined : `is answered ${String(status)}`;
  }
}

/** Whether a converted value is one that the schema allows. */
function isWithin(schema: Schema, value: unknown): boolean {
  if (value === undefined || value === null || typeof value === 'boolean') return true;
  const { enum: values, minimum = -MAX_ID - 1, maximum = MAX_ID, maxLength = Infinity } = schema;
  if (Array.isArray(value)) return value.every((one) => isWithin(schema.items ?? {}, one));
  if (values !== undefined) return values.includes(value);
  switch (typeof value) {
    case 'number':
      return (
        value === UNKNOWN_ID || (isOfType(schema, value) && value >= minimum && value <= maximum)
      );
    case 'string':
      return value.length <= maxLength && !value.includes('\0');
    case 'object':
      return value instanceof Date ? !Number.isNaN(value.getTime()) : areWithin(value);
    default:
      return false;
  }
}

const isOfType = ({ type }: Schema, value: number): boolean =>
  [type].flat().includes('number') || Number.isInteger(value);

/** Values of an object that a list has among others. */
function areWithin(value: object): boolean {
  return Object.values(value).every((one) => isWithin({}, one));
}

function sampleOf(name: string, schema: Schema): unknown {
  if (schema.format === 'binary') {
    return Object.create(ReceivedFile.prototype) as ReceivedFile;
  }
  return valueOf(name, schema);
}
