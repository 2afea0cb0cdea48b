import {
  DomainError,
  type FieldTexts,
  type UnprocessableBody,
  type Resource,
} from './domain-error.js';

/** No usable credential, or an action whose refusal is spelled 401 (accepting a merge request). */
export const unauthenticated = (): DomainError => new DomainError({ code: 'unauthenticated' });

/** The caller is known and may see the object, but may not do this. */
export const forbidden = (reason?: string): DomainError =>
  new DomainError(reason === undefined ? { code: 'forbidden' } : { code: 'forbidden', reason });

/** A quota is used up; the texts are shown to the user. */
export const limitReached = (...texts: string[]): DomainError =>
  new DomainError({ code: 'limit-reached', texts });

/** A named resource does not exist, or not for this caller. */
export const notFound = (resource: Resource): DomainError =>
  new DomainError({ code: 'not-found', resource });

/** A child record looked up by its id does not exist below its parent. */
export const recordNotFound = (): DomainError => new DomainError({ code: 'record-not-found' });

/** A not-found that names what is missing: `404 <text> Not Found`. */
export const namedNotFound = (text: string): DomainError =>
  new DomainError({ code: 'named-not-found', text });

/** A not-found with this text alone: `No such branch`. */
export const absent = (text: string): DomainError => new DomainError({ code: 'absent', text });

/** There is no such route. */
export const routeNotFound = (): DomainError => new DomainError({ code: 'route-not-found' });

/** The path exists, but not for this verb. */
export const verbNotRouted = (allowed: readonly string[]): DomainError =>
  new DomainError({ code: 'verb-not-routed', allowed });

/** A parameter is missing or malformed; the text names it: `title is missing`. */
export const invalidParameter = (text: string): DomainError =>
  new DomainError({ code: 'invalid-parameter', text });

/** A record would not be valid; texts by field. */
export const invalidRecord = (fields: FieldTexts): DomainError =>
  new DomainError({ code: 'invalid-record', fields });

/** @throws DomainError invalid record, when there is a text for any field */
export function assertNoErrors(fields: FieldTexts): void {
  if (Object.keys(fields).length > 0) throw invalidRecord(fields);
}

/** A rule of the domain forbids it; one plain text (400). */
export const ruleViolated = (text: string): DomainError =>
  new DomainError({ code: 'rule-violated', text });

/** A concurrent change came first, or the state is not what the caller expected. */
export const conflict = (reason?: string | readonly string[] | FieldTexts): DomainError =>
  new DomainError(reason === undefined ? { code: 'conflict' } : { code: 'conflict', reason });

/** A conflict that is answered with 404 (docs/reference/users.md#put-usersid). */
export const conflictAsNotFound = (reason: string): DomainError =>
  new DomainError({ code: 'conflict-as-not-found', reason });

/** Nothing to do: the record already is as requested. */
export const notModified = (): DomainError => new DomainError({ code: 'not-modified' });

/** The object's state forbids the action (405 with a message, not the routing 405). */
export const methodNotAllowed = (text?: string): DomainError =>
  new DomainError(text === undefined ? { code: 'not-allowed' } : { code: 'not-allowed', text });

/** The action cannot be carried out on the object as it is (406). */
export const notAcceptable = (text: string): DomainError =>
  new DomainError({ code: 'not-acceptable', text });

/** Understood, but not processable (422); each endpoint defines its body. */
export const unprocessable = (body: UnprocessableBody): DomainError =>
  new DomainError({ code: 'unprocessable', body });

/** The body is larger than the endpoint takes. */
export const tooLarge = (): DomainError => new DomainError({ code: 'too-large' });

/** The project has no room for what would be stored; the text is shown to the user. */
export const storageLimitReached = (text: string): DomainError =>
  new DomainError({ code: 'storage-limit', text });

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
