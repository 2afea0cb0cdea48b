import { Logger } from '@nestjs/common';
import {
  GitError,
  type GitErrorCode,
  GitProcessError,
  RepositoryMissingError,
} from '../../../git/index.js';
import {
  type DomainError,
  fileErrorText,
  notFound,
  tooLarge,
  tooManyRequests,
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
 * Words what an operator has to mend in a storage: the repository is missing, its files are closed to the service, the disk is
 * full. @returns undefined for other failures
 */
function storageErrorText(failure: unknown): string | undefined {
  if (failure instanceof RepositoryMissingError) return 'the repository is missing in its storage';
  if (failure instanceof GitProcessError) {
    if (failure.isWithoutRepository) return 'git finds no repository in its folder';
    return fileErrorText(failure.fileErrorCode);
  }
  return failure instanceof Error && 'code' in failure ? fileErrorText(failure.code) : undefined;
}

/**
 * Returns the API's refusal for a failure of git: overload, a storage that is full or fails, a repository that is missing, or an
 * object that is missing, damaged or too large. Undefined for failures that are a fault of the service, or that did not come
 * from git.
 */
export function gitRefusal(failure: unknown): DomainError | undefined {
  if (!(failure instanceof GitError)) return undefined;
  const ended = failure instanceof GitProcessError ? failure : undefined;
  if (failure.code === 'storage-unavailable') return unavailable(STORAGE_RETRY_SECONDS);
  const reason = storageErrorText(failure);
  if (reason !== undefined) {
    logger.warn('A repository cannot be used', failure);
    return unavailable(STORAGE_RETRY_SECONDS, reason);
  }
  if (failure.code === 'memory-taken') return tooManyRequests(RETRY_SECONDS);
  if (TRANSIENT.has(failure.code) || ended?.isOfStorage) return unavailable(RETRY_SECONDS);
  if (LARGE.has(failure.code) || ended?.isExhausted) return tooLarge();
  if (LOST.has(failure.code) || ended?.isDamaged) {
    logger.warn('An object cannot be read', failure);
    return notFound('git-object');
  }
  return undefined;
}
