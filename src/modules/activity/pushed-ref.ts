import { type Oid, type RefUpdate, TAG_PREFIX, ZERO_OID } from '../../git/index.js';

/** A commit of a pushed ref. Long texts are cut. */
export interface PushedCommit {
  oid: Oid;
  message: string;
  /** ISO 8601 in the committer's offset, without a fraction of a second. */
  committedAt: string;
  author: { name: string; email: string };
}

/** A branch or tag that a push created, moved or deleted, as events store it. */
export interface PushedRef extends RefUpdate {
  /** Of an annotated tag. */
  message: string | null;
  /** The newest twenty that a branch got, oldest first; the commit of a tag. */
  commits: PushedCommit[];
  /** How many commits the branch got, those that are not among `commits` included. */
  commitCount: number;
}

/** Returns the commit that a ref points to after a push; null for a deleted ref and a tag of another object. */
export function checkoutSha({
  ref,
  newOid,
  commits,
}: Pick<PushedRef, 'ref' | 'newOid' | 'commits'>): string | null {
  if (newOid === ZERO_OID) return null;
  return ref.startsWith(TAG_PREFIX) ? (commits[0]?.oid ?? null) : newOid;
}
