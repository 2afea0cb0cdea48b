import type { DetailOf, DomainError, ErrorCode } from '../../errors/index.js';

/** Status and body of a refusal; no body means an empty response. */
export interface ErrorAnswer {
  readonly status: number;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

type ErrorTable = { readonly [C in ErrorCode]: (detail: DetailOf<C>) => ErrorAnswer };

const message = (status: number, value: unknown): ErrorAnswer => ({
  status,
  body: { message: value },
});
const error = (status: number, value: unknown): ErrorAnswer => ({ status, body: { error: value } });

/**
 * Every refusal with the answer fixed for it (docs/reference/errors.md). The bodies are exact,
 * which is why the request id travels in the `X-Request-Id` header and nowhere in them.
 */
const ERROR_TABLE: ErrorTable = {
  unauthenticated: () => message(401, '401 Unauthorized'),
  forbidden: ({ reason }) =>
    message(403, reason === undefined ? '403 Forbidden' : `403 Forbidden - ${reason}`),
  'limit-reached': ({ texts }) => error(403, texts),
  'not-found': ({ resource }) => message(404, `404 ${resource} Not Found`),
  'record-not-found': () => message(404, '404 Not found'),
  'named-not-found': ({ text }) => message(404, `404 ${text} Not Found`),
  absent: ({ text }) => message(404, text),
  'route-not-found': () => error(404, '404 Not Found'),
  'verb-not-routed': ({ allowed }) => ({
    ...error(405, '405 Not Allowed'),
    headers: { Allow: allowed.join(', ') },
  }),
  'invalid-parameter': ({ text }) => error(400, text),
  'invalid-record': ({ fields }) => message(400, fields),
  'rule-violated': ({ text }) => message(400, text),
  conflict: ({ reason }) => message(409, reason ?? '409 Conflict'),
  'conflict-as-not-found': ({ reason }) => message(404, reason),
  'not-modified': () => ({ status: 304 }),
  'not-allowed': ({ text }) => message(405, text ?? '405 Method Not Allowed'),
  'not-acceptable': ({ text }) => message(406, text),
  unprocessable: ({ body }) => ({ status: 422, body }),
  'too-large': () => message(413, '413 Request Entity Too Large'),
  'storage-limit': ({ text }) => message(413, text),
  'too-slow': () => ({
    ...message(408, '408 Request Timeout'),
    headers: { Connection: 'close' },
  }),
  'unsupported-media-type': ({ text }) => error(415, text),
  'too-many-requests': ({ retryAfterSeconds }) => ({
    ...message(429, '429 Too Many Requests'),
    headers: { 'Retry-After': String(retryAfterSeconds) },
  }),
  unavailable: ({ retryAfterSeconds, reason }) => ({
    ...message(
      503,
      reason === undefined ? '503 Service Unavailable' : `503 Service Unavailable - ${reason}`,
    ),
    ...(retryAfterSeconds !== undefined && {
      headers: { 'Retry-After': String(retryAfterSeconds) },
    }),
  }),
};

/** Looks a refusal up in the table. */
function answerFor<C extends ErrorCode>(detail: DetailOf<C> & { code: C }): ErrorAnswer {
  return ERROR_TABLE[detail.code](detail);
}

export const answerOf = (refusal: DomainError): ErrorAnswer => answerFor(refusal.detail);

/** The only thing a caller learns about an unexpected failure. */
export const UNEXPECTED: ErrorAnswer = message(500, '500 Internal Server Error');
