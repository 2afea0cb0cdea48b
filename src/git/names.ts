import { InvalidArgumentError } from './errors.js';
import type { Oid } from './types.js';

/** What the full names of branches begin with. */
export const BRANCH_PREFIX = 'refs/heads/';
/** What the full names of tags begin with. */
export const TAG_PREFIX = 'refs/tags/';

const LONE_SURROGATE = /\p{Surrogate}/u;
const OID = /^[0-9a-f]{40}$/;
const FORBIDDEN_IN_REF = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)/;
const FORBIDDEN_AT_REF_EDGE = /^[./]|[./]$/;

export function isOid(value: string): value is Oid {
  return OID.test(value);
}

export function assertOid(value: string): Oid {
  if (!isOid(value)) throw new InvalidArgumentError('Not an object id');
  return value;
}

/**
 * Whether a full ref name keeps the rules of `git check-ref-format` (at least two components), can
 * be told apart from an option, and survives a round trip through UTF-8.
 */
export function isValidRefName(name: string): boolean {
  return (
    name.includes('/') &&
    !name.startsWith('-') &&
    !LONE_SURROGATE.test(name) &&
    !FORBIDDEN_AT_REF_EDGE.test(name) &&
    !FORBIDDEN_IN_REF.test(name)
  );
}

/** Whether `refs/heads/<name>` is a ref name that git accepts as a branch. */
export function isValidBranchName(name: string): boolean {
  return name !== 'HEAD' && !name.startsWith('-') && isValidRefName(`${BRANCH_PREFIX}${name}`);
}

/** A file system takes 255 bytes for one part of a name, and git adds `.lock` to it. */
const MAX_REF_PART = 240;
const MAX_REF = 1000;

/** Whether a new branch or tag may have that full name: git accepts it, and so do file systems. */
export function isWritableRefName(name: string): boolean {
  if (!isValidBranchName(name.split('/').slice(2).join('/'))) return false;
  const parts = name.split('/').map((part) => Buffer.byteLength(part));
  return Math.max(...parts) <= MAX_REF_PART && Buffer.byteLength(name) <= MAX_REF;
}

/** A ref name that may be written: valid and below `refs/`. */
export function assertRefName(name: string): string {
  if (!isValidRefName(name) || !name.startsWith('refs/')) {
    throw new InvalidArgumentError('Not a ref name');
  }
  return name;
}

/** Whether a path can name an entry of a tree: relative, no empty, `.` or `..` component. */
export function isTreePath(path: string): boolean {
  if (path === '' || path.includes('\0') || LONE_SURROGATE.test(path)) return false;
  const parts = (path.endsWith('/') ? path.slice(0, -1) : path).split('/');
  return parts.every((part) => part !== '' && part !== '.' && part !== '..');
}
