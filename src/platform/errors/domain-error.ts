import type { Refusals } from './refusals.js';

/** Everything that is refused: by the platform, or by a room. */
type ErrorDetail = Refusals[keyof Refusals];

export type ErrorCode = ErrorDetail['code'];

/** The detail that belongs to one code. */
export type DetailOf<C extends ErrorCode> = Extract<ErrorDetail, { code: C }>;

/**
 * A refusal. Its meaning lies in `detail` alone, as data; each face words it by tables
 * (docs/decisions/0008-errors-are-data.md).
 */
export class DomainError extends Error {
  constructor(readonly detail: ErrorDetail) {
    super(describe(detail));
    this.name = 'DomainError';
  }
}

// The message is for logs and test reports; no client sees it.
function describe({ code, ...rest }: ErrorDetail): string {
  return Object.keys(rest).length === 0 ? code : `${code} ${JSON.stringify(rest)}`;
}

/** The client disconnected before its request was complete or answered, which is no failure of the service. */
export class ClientDisconnectedError extends Error {
  override readonly name = 'ClientDisconnectedError';
}
