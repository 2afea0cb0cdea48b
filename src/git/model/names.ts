import { isAbsolute } from 'node:path';
import { InvalidArgumentError } from './errors.js';
import type { Oid } from './types.js';

/** The prefix of the full names of branches. */
export const BRANCH_PREFIX = 'refs/heads/';
/** The prefix of the full names of tags. */
export const TAG_PREFIX = 'refs/tags/';

export type RefPrefix = typeof BRANCH_PREFIX | typeof TAG_PREFIX;
/** As a revision, the default branch, even where a tag has the name of that branch. */
export const HEAD = 'HEAD';
/** The refs of merge requests, which clients may fetch. */
const MERGE_REQUEST_REFS = 'refs/merge-requests/';
/** Keep commits that no branch has. */
export const KEPT_PREFIX = 'refs/keep-around/';
/** The prefixes of refs that clients may neither push nor fetch. */
export const HIDDEN_PREFIXES = [KEPT_PREFIX, 'refs/pull/', 'refs/remotes/', 'refs/replace/'];
/** The prefixes of refs that clients may not push (docs/reference/git.md#refs). */
export const RESERVED_PREFIXES = [MERGE_REQUEST_REFS, ...HIDDEN_PREFIXES];

const LONE_SURROGATE = /\p{Surrogate}/u;
const OID = /^[0-9a-f]{40}$/;
const FORBIDDEN_IN_REF = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)/;
const FORBIDDEN_AT_REF_EDGE = /^[./]|[./]$/;

/** Characters of a ref name: systems open no file with a longer path. */
export const LONGEST_REF_NAME = 4_096;

export function isOid(value: string): value is Oid {
  return OID.test(value);
}

/** Returns whether git takes a text for the hash of an object, rather than for the name of a branch or tag. */
export function looksLikeHash(text: string): boolean {
  return isOid(text.toLowerCase());
}

export function assertOid(value: string): Oid {
  if (!isOid(value)) throw new InvalidArgumentError('Not an object id');
  return value;
}

/**
 * Returns whether a full ref name keeps the rules of `git check-ref-format` (at least two components), cannot
 * be taken for an option, and survives a round trip through UTF-8.
 */
export function isValidRefName(name: string): boolean {
  return (
    name.length <= LONGEST_REF_NAME &&
    name.includes('/') &&
    !name.startsWith('-') &&
    !LONE_SURROGATE.test(name) &&
    !FORBIDDEN_AT_REF_EDGE.test(name) &&
    !FORBIDDEN_IN_REF.test(name)
  );
}

/** Whether `refs/heads/<name>` is a ref name that git accepts as a branch. */
export function isValidBranchName(name: string): boolean {
  return name !== HEAD && !name.startsWith('-') && isValidRefName(`${BRANCH_PREFIX}${name}`);
}

export function assertBranchName(name: string): void {
  if (!isValidBranchName(name)) throw new InvalidArgumentError('Not a branch name');
}

/** File systems allow 255 bytes for one component of a path, and git appends `.lock` to it. */
const MAX_REF_PART = 240;
const MAX_REF = 1000;

/** Returns whether git and file systems accept a full name for a new branch or tag, which is no hash. */
export function isWritableRefName(name: string): boolean {
  if (Buffer.byteLength(name) > MAX_REF) return false;
  const parts = name.split('/').slice(2);
  const shortName = parts.join('/');
  return (
    isValidBranchName(shortName) &&
    !looksLikeHash(shortName) &&
    parts.every((part) => Buffer.byteLength(part) <= MAX_REF_PART)
  );
}

/** Returns the name of a ref if it may be written: valid, and below `refs/`. */
export function assertRefName(name: string): string {
  if (!isValidRefName(name) || !name.startsWith('refs/')) {
    throw new InvalidArgumentError('Not a ref name');
  }
  return name;
}

export function isBranchOrTag(ref: string): boolean {
  return ref.startsWith(BRANCH_PREFIX) || ref.startsWith(TAG_PREFIX);
}

/** Returns whether clients may not push a ref. */
export function isReservedRef(ref: string): boolean {
  return RESERVED_PREFIXES.some((prefix) => `${ref}/`.startsWith(prefix));
}

/** Returns whether a path can name an entry of a tree: relative, without empty, `.` and `..` components. */
export function isTreePath(path: string): boolean {
  if (path === '' || path.includes('\0') || LONE_SURROGATE.test(path)) return false;
  const parts = (path.endsWith('/') ? path.slice(0, -1) : path).split('/');
  return parts.every((part) => part !== '' && part !== '.' && part !== '..');
}

/** Returns the path of a repository if it is absolute. Line ends would break the protocol of the hook. */
export function assertRepositoryPath(path: string): string {
  if (!isAbsolute(path) || /[\0\r\n]/.test(path)) {
    throw new InvalidArgumentError('A repository is named by an absolute path');
  }
  return path;
}

/** Absolute, and without user name, password, query and fragment: other users see command lines. */
const ADDRESS = /^(?:https?|git|ssh):\/\/[^\s\p{Cc}@/?#-][^\s\p{Cc}@/?#]*\/[^\s\p{Cc}?#]+$/u;

/** Returns an address if it may be an argument of git. */
export function assertRemoteAddress(address: string): string {
  if (!ADDRESS.test(address)) throw new InvalidArgumentError('Not an address of a repository');
  return address;
}
