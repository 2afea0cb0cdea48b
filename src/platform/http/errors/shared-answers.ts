import type { FieldProblems, FieldRuleOf, Resource, SharedRefusal } from '../../errors/index.js';
import {
  type AnswersTo,
  type ErrorAnswer,
  type RuleText,
  withError,
  withMessage,
} from './room-answers.js';

/** How a face spells what refusals name. */
export interface Spelling {
  resource(resource: Resource): string;
  /** Texts by field, each without the field's name. */
  fields(fields: FieldProblems): Record<string, string[]>;
}

export const SHARED_RULES: Readonly<Record<FieldRuleOf<'shared'>, RuleText>> = {
  blank: "can't be blank",
  invalid: 'is invalid',
  missing: 'does not exist',
  negative: 'must be greater than or equal to 0',
  'not-a-url': 'must be a valid URL',
  'not-positive': 'must be greater than 0',
  reserved: ({ value }) => `${String(value)} is a reserved name`,
  taken: 'has already been taken',
  'too-long': ({ limit }) => `is too long (maximum is ${String(limit)} characters)`,
  'too-many': ({ limit }) => `are too many (maximum is ${String(limit)})`,
  'too-short': ({ limit }) => `is too short (minimum is ${String(limit)} characters)`,
};

/**
 * Refusals that are of no single room, with the answers fixed for them (docs/reference/errors.md). The bodies are exact,
 * which is why the request id travels in the `X-Request-Id` header and nowhere in them.
 */
export const sharedAnswers = (spelling: Spelling): AnswersTo<SharedRefusal> => ({
  unauthenticated: () => withMessage(401, '401 Unauthorized'),
  forbidden: () => withMessage(403, '403 Forbidden'),
  'not-found': ({ resource }) => withMessage(404, `404 ${spelling.resource(resource)} Not Found`),
  'record-not-found': () => withMessage(404, '404 Not found'),
  'route-not-found': () => withError(404, '404 Not Found'),
  'verb-not-routed': ({ allowed }) => ({
    ...withError(405, '405 Not Allowed'),
    headers: { Allow: allowed.join(', ') },
  }),
  'invalid-parameter': ({ text }) => withError(400, text),
  'invalid-fields': ({ fields }) => withMessage(400, spelling.fields(fields)),
  'malformed-timestamp': ({ name }) =>
    withMessage(400, `"${name}" must be a timestamp in ISO 8601 format: YYYY-MM-DDTHH:MM:SSZ`),
  conflict: () => withMessage(409, '409 Conflict'),
  'not-modified': () => ({ status: 304 }),
  'precondition-failed': () => withMessage(412, '412 Precondition Failed'),
  'page-token-unknown': ({ token }) => withMessage(422, `Invalid page token: ${token}`),
  'keyset-unavailable': () =>
    withError(405, 'Keyset pagination is not yet available for this type of request'),
  'too-large': () => withMessage(413, '413 Request Entity Too Large'),
  'too-slow': () => ({
    ...withMessage(408, '408 Request Timeout'),
    headers: { Connection: 'close' },
  }),
  'unsupported-media-type': ({ text }) => withError(415, text),
  'too-many-requests': ({ retryAfterSeconds }) => ({
    ...withMessage(429, '429 Too Many Requests'),
    headers: { 'Retry-After': String(retryAfterSeconds) },
  }),
  unavailable: ({ retryAfterSeconds, reason }) => ({
    ...withMessage(
      503,
      reason === undefined ? '503 Service Unavailable' : `503 Service Unavailable - ${reason}`,
    ),
    ...(retryAfterSeconds !== undefined && {
      headers: { 'Retry-After': String(retryAfterSeconds) },
    }),
  }),
});

/** The only thing a caller learns about an unexpected failure. */
export const UNEXPECTED: ErrorAnswer = withMessage(500, '500 Internal Server Error');
