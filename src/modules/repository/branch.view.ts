import { RefCommitView } from './commit.view.js';

/** A branch (specification 2.13; open points 3.8). */
export class BranchView {
  name!: string;
  commit!: RefCommitView;
  protected!: boolean;
  developers_can_push!: boolean;
  developers_can_merge!: boolean;
  /** Its head is contained in the default branch. */
  merged!: boolean;
}
