import { RefCommitView } from './commit.view.js';

/** A branch (docs/reference/branches.md#the-branch-object). */
export class BranchView {
  name!: string;
  commit!: RefCommitView;
  protected!: boolean;
  developers_can_push!: boolean;
  developers_can_merge!: boolean;
  /** Its head is contained in the default branch. */
  merged!: boolean;
}
