import type { Oid, RefUpdate } from '../../git/index.js';

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
