import type { RemovalWish } from '../source-branch-removal.js';

/** What whoever accepts a merge request wants of the merge. */
export interface MergeTerms {
  /** Null is the default text. */
  message: string | null;
  removeSourceBranch: RemovalWish;
}
