import type { DomainError } from '../../errors/index.js';

/** Parameters by name as they came, before anything is converted. Has no prototype. */
export type RawParameters = Record<string, unknown>;

/** What was read from one request. */
export interface ReadRequest {
  readonly parameters: RawParameters;
  /** The first thing wrong with query string or body, raised after the caller is known. */
  readonly problem: DomainError | undefined;
}

// Keyed by the request itself: a client cannot reach it, and it goes when the request goes.
const reads = new WeakMap<object, ReadRequest>();

export function rememberRead(request: object, read: ReadRequest): void {
  reads.set(request, read);
}

/** What the parameter reader found, undefined for requests outside the API. */
export function readOf(request: object): ReadRequest | undefined {
  return reads.get(request);
}

/** Query string and body merged, the body's values first; empty outside the API. */
export function rawParameters(request: object): Readonly<RawParameters> {
  return reads.get(request)?.parameters ?? {};
}
