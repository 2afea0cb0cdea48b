import { isTreePath } from '../../../git/index.js';
import { type DomainError, ruleViolated } from '../../../platform/errors/index.js';

const REFUSED = 'Your changes could not be committed, because the file name';
const MAX_PATH_BYTES = 1024;
const MAX_NAME_BYTES = 255;

/** Letters, digits, blanks and a few signs (docs/reference/files.md#names-of-files). */
const ALLOWED = /^[\p{L}\p{M}\p{N}_\-./@ ]+$/u;
/** Folders that are reserved for git, in any spelling that a file system accepts. */
const OF_GIT = /^(?:\.git|git~1)[ .]*$/i;

/** Removes leading slashes, which paths in trees do not have. */
export function withoutLeadingSlash(path: string): string {
  return path.replace(/^\/+/, '');
}

/** Whether a path can name a file of a tree. */
export function isFilePath(path: string): boolean {
  return isTreePath(path) && !path.endsWith('/');
}

/** Returns the error for a path at which no file may be written; null for a valid one. */
export function pathRefusal(path: string): DomainError | null {
  const parts = path.split('/');
  if (path.includes('..')) return refused('cannot include directory traversal.');
  if (!ALLOWED.test(path)) {
    return refused(
      `can contain only letters, digits, '_', '-', '@' and '.'. Separate directories with a '/'.`,
    );
  }
  if (parts.some((part) => OF_GIT.test(part))) return refused('is reserved for Git.');
  if (!isFilePath(path)) return refused('is invalid.');
  const isLong = parts.some((part) => Buffer.byteLength(part) > MAX_NAME_BYTES);
  return isLong || Buffer.byteLength(path) > MAX_PATH_BYTES ? refused('is too long.') : null;
}

const refused = (why: string): DomainError => ruleViolated(`${REFUSED} ${why}`);
