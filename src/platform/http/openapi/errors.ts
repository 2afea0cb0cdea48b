import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { ApiFace } from '../face/api-face.js';

type Components = NonNullable<OpenAPIObject['components']>;
type Schemas = NonNullable<Components['schemas']>;
type Responses = NonNullable<Components['responses']>;
type ResponseObject = Exclude<Responses[string], { $ref: string }>;

const text = { type: 'string' };
const texts = { type: 'array', items: text };

/** The two shapes of every refusal (docs/reference/errors.md). */
export const ERROR_SCHEMAS = {
  MessageError: {
    type: 'object',
    description: 'The application refuses: a text, or texts by field of a record.',
    required: ['message'],
    properties: {
      message: { anyOf: [text, texts, { type: 'object', additionalProperties: texts }] },
    },
  },
  ParameterError: {
    type: 'object',
    description:
      'A parameter, the route or the form of the request is wrong, or a limit is reached.',
    required: ['error'],
    properties: { error: { anyOf: [text, texts] } },
  },
} as unknown as Schemas;

const { MessageError } = ERROR_SCHEMAS as Record<string, { properties: object }>;

/** The shapes of refusals of a face that names the reason of some by a code. */
const SCHEMAS_WITH_CODES = {
  ...ERROR_SCHEMAS,
  MessageError: {
    ...MessageError,
    properties: { ...MessageError?.properties, error_code: text },
  },
} as unknown as Schemas;

/** The shapes of the refusals of a face. */
export const errorSchemasOf = ({ hasErrorCodes }: Pick<ApiFace, 'hasErrorCodes'>): Schemas =>
  hasErrorCodes ? SCHEMAS_WITH_CODES : ERROR_SCHEMAS;

/** What any operation may answer, what one that reads and what one with a body may answer on top. */
const ALWAYS = [400, 401, 403, 404, 429, 500, 503];
const READING = [304];
const WITH_BODY = [408, 409, 413, 415, 422];

/** Statuses that may say when to come again. */
const WITH_RETRY_AFTER: ReadonlySet<number> = new Set([429, 503]);

/** The header of refusals, among the document's components. */
export const REFUSAL_HEADER_COMPONENTS: NonNullable<Components['headers']> = {
  'Retry-After': {
    description: 'Seconds after which to send the request again; always with 429.',
    schema: { type: 'integer', minimum: 1 },
  },
};

const UNEXPLAINED: Readonly<Record<number, string>> = {
  304: 'Nothing to do: already as asked; or, of what is read, as the caller has it (`If-None-Match`).',
};

/** The statuses of refusals for a verb, with those an operation declares itself. */
export function refusalStatuses(verb: string, declared: readonly number[]): number[] {
  const statuses = verb === 'get' ? [...READING, ...ALWAYS] : [...ALWAYS, ...WITH_BODY];
  return [...new Set([...statuses, ...declared])].sort((a, b) => a - b);
}

/** The name of a refusal among the document's components: `NotFound`. */
function refusalName(status: number): string {
  return (STATUS_CODES[status] ?? String(status)).replace(/\W/g, '');
}

/** The documented response of one refusal, which stands once among the components. */
export function refusalResponse(status: number): { $ref: string } {
  return { $ref: `#/components/responses/${refusalName(status)}` };
}

/**
 * The refusals among the document's components.
 *
 * @param statuses those that its operations refer to
 */
export function refusalComponents(statuses: Iterable<number>): Responses {
  return Object.fromEntries(
    [...new Set(statuses)].map((status) => [refusalName(status), documented(status)]),
  );
}

function documented(status: number): ResponseObject {
  const description = UNEXPLAINED[status] ?? `${STATUS_CODES[status] ?? 'Refused'}.`;
  if (status === 304) return { description };
  const schema = {
    anyOf: ['MessageError', 'ParameterError'].map((name) => ({
      $ref: `#/components/schemas/${name}`,
    })),
  };
  const headers = WITH_RETRY_AFTER.has(status)
    ? { headers: { 'Retry-After': { $ref: '#/components/headers/Retry-After' } } }
    : {};
  return { description, ...headers, content: { 'application/json': { schema } } };
}
