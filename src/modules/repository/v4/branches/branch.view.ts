import { V4CommitView } from '../commits/commit.view.js';

/** A branch. */
export class V4BranchView {
  name!: string;
  commit!: V4CommitView;
  /** The default branch contains its head, and has another one. */
  merged!: boolean;
  protected!: boolean;
  developers_can_push!: boolean;
  developers_can_merge!: boolean;
  /** Whether the caller may push to it. */
  can_push!: boolean;
  /** Whether it is the default branch. */
  default!: boolean;
  /** The page of its files. */
  web_url!: string;
}

/** The deletion of merged branches, which has begun. */
export class V4MergedBranchesView {
  /** `202 Accepted`. */
  message!: string;
}
