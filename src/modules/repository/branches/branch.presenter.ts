import { presentRefCommit } from '../commits/commit.presenter.js';
import type { BranchView } from './branch.view.js';
import type { Branch } from './branches.service.js';

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
