import { Logger } from '@nestjs/common';
import { GitError, type GitErrorCode, GitProcessError } from '../../git/index.js';
import {
  type DomainError,
  namedNotFound,
  tooLarge,
  unavailable,
} from '../../platform/errors/index.js';

const logger = new Logger('Repositories');

/** What is larger than an answer may be. */
const LARGE: ReadonlySet<GitErrorCode> = new Set(['object-too-large', 'tree-too-large']);
/** What the repository should have and has not, or not whole. */
const LOST: ReadonlySet<GitErrorCode> = new Set(['object-missing', 'object-damaged']);
/** What passes by itself: the client may ask again. */
const PASSING: ReadonlySet<GitErrorCode> = new Set(['busy', 'timeout', 'closed', 'ref-locked']);

/**
 * What clients of the API are told when git is overloaded, or an object is missing, damaged or larger than
 * an answer may be; undefined for failures that are a fault of the service, or none of git's.
 */
export function gitRefusal(failure: unknown): DomainError | undefined {
  if (!(failure instanceof GitError)) return undefined;
  if (LARGE.has(failure.code)) return tooLarge();
  if (LOST.has(failure.code) || (failure instanceof GitProcessError && failure.isDamaged)) {
    logger.warn('An object cannot be read', failure);
    return namedNotFound('Object');
  }
  return PASSING.has(failure.code) ? unavailable() : undefined;
}
