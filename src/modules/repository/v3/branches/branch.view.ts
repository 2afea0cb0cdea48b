import { presentRefCommit, RefCommitView } from '../commits/commit.view.js';
import type { Branch } from '../../branches/branches.service.js';

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

/** A branch that was deleted (docs/reference/branches.md#delete-projectsidrepositorybranchesbranch). */
export class DeletedBranchView {
  branch_name!: string;
}

export function presentBranch({ name, commit, protection, merged }: Branch): BranchView {
  return {
    name,
    commit: presentRefCommit(commit),
    protected: protection.protected,
    developers_can_push: protection.developersCanPush,
    developers_can_merge: protection.developersCanMerge,
    merged,
  };
}
