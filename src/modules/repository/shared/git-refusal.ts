import { Logger } from '@nestjs/common';
import { GitError, type GitErrorCode, GitProcessError } from '../../../git/index.js';
import {
  type DomainError,
  namedNotFound,
  notFound,
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
const RETRY_SECONDS = 5;
/** When to ask again for what lies in a storage that does not answer. */
const STORAGE_RETRY_SECONDS = 10;

/**
 * Returns the API's refusal for a failure of git: overload, a full disk, an object that is missing, damaged or too large, or
 * a repository that was removed meanwhile. Undefined for failures that are a fault of the service, or that did not come from
 * git.
 */
export function gitRefusal(failure: unknown): DomainError | undefined {
  if (!(failure instanceof GitError)) return undefined;
  const ended = failure instanceof GitProcessError ? failure : undefined;
  if (failure.code === 'storage-unavailable') return unavailable(STORAGE_RETRY_SECONDS);
  if (TRANSIENT.has(failure.code) || ended?.isOutOfSpace) return unavailable(RETRY_SECONDS);
  if (LARGE.has(failure.code) || ended?.isExhausted) return tooLarge();
  if (failure.code === 'repository-missing') {
    logger.warn('A repository is missing', failure);
    return notFound('Repository');
  }
  if (LOST.has(failure.code) || ended?.isDamaged) {
    logger.warn('An object cannot be read', failure);
    return namedNotFound('Object');
  }
  return undefined;
}
