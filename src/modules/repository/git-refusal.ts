import { GitError, type GitErrorCode } from '../../git/index.js';
import { type DomainError, tooLarge, unavailable } from '../../platform/errors/index.js';

/** What is larger than an answer may be. */
const LARGE: ReadonlySet<GitErrorCode> = new Set(['object-too-large', 'tree-too-large']);
/** What passes by itself: the client may ask again. */
const PASSING: ReadonlySet<GitErrorCode> = new Set(['busy', 'timeout', 'closed', 'ref-locked']);

/**
 * What clients of the API are told when git is overloaded, or an object is larger than an answer may be;
 * undefined for failures that are a fault of the service, or none of git's.
 */
export function gitRefusal(failure: unknown): DomainError | undefined {
  if (!(failure instanceof GitError)) return undefined;
  if (LARGE.has(failure.code)) return tooLarge();
  return PASSING.has(failure.code) ? unavailable() : undefined;
}
