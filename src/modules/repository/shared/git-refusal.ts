import { Logger } from '@nestjs/common';
import { GitError, type GitErrorCode, GitProcessError } from '../../../git/index.js';
import {
  type DomainError,
  namedNotFound,
  tooLarge,
  unavailable,
} from '../../../platform/errors/index.js';

const logger = new Logger('Repositories');

/** The object is larger than an answer may be. */
const LARGE: ReadonlySet<GitErrorCode> = new Set(['object-too-large', 'tree-too-large']);
/** The repository lacks the object, or it is damaged. */
const LOST: ReadonlySet<GitErrorCode> = new Set(['object-missing', 'object-damaged']);
/** Transient: the client may retry. */
const TRANSIENT: ReadonlySet<GitErrorCode> = new Set(['busy', 'timeout', 'closed', 'ref-locked']);
/** When to ask again for what lies in a storage that does not answer. */
const STORAGE_RETRY_SECONDS = 10;

/**
 * Returns the API's refusal for a failure of git: overload, a full disk, or an object that is missing, damaged or too
 * large. Undefined for failures that are a fault of the service, or that did not come from git.
 */
export function gitRefusal(failure: unknown): DomainError | undefined {
  if (!(failure instanceof GitError)) return undefined;
  if (failure instanceof GitProcessError && failure.isOutOfSpace) return unavailable();
  if (failure.code === 'storage-unavailable') return unavailable(STORAGE_RETRY_SECONDS);
  if (LARGE.has(failure.code)) return tooLarge();
  if (LOST.has(failure.code) || (failure instanceof GitProcessError && failure.isDamaged)) {
    logger.warn('An object cannot be read', failure);
    return namedNotFound('Object');
  }
  return TRANSIENT.has(failure.code) ? unavailable() : undefined;
}
