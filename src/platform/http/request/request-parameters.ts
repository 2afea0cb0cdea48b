import { AttachedValue } from '../../async/index.js';
import type { DomainError } from '../../errors/index.js';

/** Parameters by name as they came, before anything is converted. Has no prototype. */
export type RawParameters = Record<string, unknown>;

/**
 * What could be read of a query string, a body or both. Valid parameters are kept although others are not:
 * a credential among them still identifies the caller.
 */
export interface Parsed {
  readonly parameters: RawParameters;
  /** The first problem, raised once the caller is known. */
  readonly problem: DomainError | undefined;
}

const reads = new AttachedValue<Parsed>();

export function rememberRead(request: object, read: Parsed): void {
  reads.set(request, read);
}

/** What the parameter reader found, undefined for requests whose parameters are not read (`hasParameters`). */
export function readOf(request: object): Parsed | undefined {
  return reads.get(request);
}

/** Query string and body merged, the body's values first. */
export function rawParameters(request: object): Readonly<RawParameters> {
  return reads.get(request)?.parameters ?? {};
}
