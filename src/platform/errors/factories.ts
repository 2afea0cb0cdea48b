import { DomainError } from './domain-error.js';
import type { FieldProblems, RecordName, Resource } from './refusals.js';

/** There is no usable credential. */
export const unauthenticated = (): DomainError => new DomainError({ code: 'unauthenticated' });

/** The caller is known and may see the object, but may not do this. */
export const forbidden = (): DomainError => new DomainError({ code: 'forbidden' });

/** A named resource does not exist, or not for this caller. */
export const notFound = (resource: Resource): DomainError =>
  new DomainError({ code: 'not-found', resource });

/** A child record looked up by its id does not exist below its parent. */
export const recordNotFound = (record: RecordName): DomainError =>
  new DomainError({ code: 'record-not-found', record });

/** There is no such route. */
export const routeNotFound = (): DomainError => new DomainError({ code: 'route-not-found' });

/** The path exists, but not for this verb. */
export const verbNotRouted = (allowed: readonly string[]): DomainError =>
  new DomainError({ code: 'verb-not-routed', allowed });

/** A parameter is missing or malformed; the text names it: `title is missing`. */
export const invalidParameter = (text: string): DomainError =>
  new DomainError({ code: 'invalid-parameter', text });

/** A record would not be valid; what is wrong by field. Fields without a problem are left out. */
export function invalidFields(fields: FieldProblems): DomainError {
  const invalid = Object.entries(fields).filter(([, problems]) => problems.length > 0);
  return new DomainError({ code: 'invalid-fields', fields: Object.fromEntries(invalid) });
}

/** @throws DomainError invalid fields, when there is a problem with any */
export function assertValid(fields: FieldProblems): void {
  if (Object.values(fields).some((problems) => problems.length > 0)) throw invalidFields(fields);
}

/** A concurrent change came first, or the state is not what the caller expected. */
export const conflict = (): DomainError => new DomainError({ code: 'conflict' });

/** The order of a list has no pages that begin behind an item. */
export const keysetUnavailable = (): DomainError => new DomainError({ code: 'keyset-unavailable' });

/** There is no item behind which the page could begin. */
export const pageTokenUnknown = (token: string): DomainError =>
  new DomainError({ code: 'page-token-unknown', token });

/** Nothing to do: the record already is as requested. */
export const notModified = (): DomainError => new DomainError({ code: 'not-modified' });

/** What is to be removed has changed after the time that the caller names. */
export const preconditionFailed = (): DomainError =>
  new DomainError({ code: 'precondition-failed' });

/** The body is larger than the endpoint takes. */
export const tooLarge = (): DomainError => new DomainError({ code: 'too-large' });

/** The body comes so slowly that it is not waited for. */
export const tooSlow = (): DomainError => new DomainError({ code: 'too-slow' });

/** A body of a type that the endpoint does not accept. */
export const unsupportedMediaType = (type: string): DomainError =>
  new DomainError({
    code: 'unsupported-media-type',
    text: `The provided content-type '${type}' is not supported.`,
  });

/** A compressed body: parameters are never inflated, so that a small request stays small. */
export const unsupportedEncoding = (encoding: string): DomainError =>
  new DomainError({
    code: 'unsupported-media-type',
    text: `The provided content-encoding '${encoding}' is not supported.`,
  });

/** A rate limit is exceeded; `retryAfterSeconds` is rounded up to whole seconds, at least one. */
export const tooManyRequests = (retryAfterSeconds: number): DomainError =>
  new DomainError({
    code: 'too-many-requests',
    retryAfterSeconds: Math.max(1, Math.ceil(retryAfterSeconds)),
  });

/**
 * The service is draining, a store behind it does not answer, or all slots for the work are taken.
 * @param reason what an operator has to mend, if it does not pass by itself
 */
export const unavailable = (retryAfterSeconds?: number, reason?: string): DomainError =>
  new DomainError({ code: 'unavailable', retryAfterSeconds, reason });
