import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

const text = { type: 'string' };
const texts = { type: 'array', items: text };

/** The two shapes of every refusal (open points 1.5). */
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

/** What any operation may answer, and what one with a body may answer on top. */
const ALWAYS = [400, 401, 403, 404, 429, 500, 503];
const WITH_BODY = [408, 409, 413, 415, 422];

const UNEXPLAINED: Readonly<Record<number, string>> = { 304: 'Nothing to do: already as asked.' };

/** The statuses of refusals for a verb, with those an operation declares itself. */
export function refusalStatuses(verb: string, declared: readonly number[]): number[] {
  const statuses = verb === 'get' ? ALWAYS : [...ALWAYS, ...WITH_BODY];
  return [...new Set([...statuses, ...declared])].sort((a, b) => a - b);
}

/** The documented response of one refusal. */
export function refusalResponse(status: number): object {
  const description = UNEXPLAINED[status] ?? `${STATUS_CODES[status] ?? 'Refused'}.`;
  if (status === 304) return { description };
  const schema = {
    anyOf: ['MessageError', 'ParameterError'].map((name) => ({
      $ref: `#/components/schemas/${name}`,
    })),
  };
  return { description, content: { 'application/json': { schema } } };
}
