import { Injectable } from '@nestjs/common';
import { ProtectedBranchesService } from '../../repository/index.js';
import { ActingUsers } from '../../users/index.js';
import type { Merger } from '../accept/merge-branches.js';
import type { LocatedMergeRequest } from '../merge-requests.repository.js';
import { EndWaiting } from './end-waiting.js';

/** Finds who merges requests that waited for their builds. */
@Injectable()
export class AutomaticMergers {
  constructor(
    private readonly users: ActingUsers,
    private readonly protectedBranches: ProtectedBranchesService,
    private readonly waiting: EndWaiting,
  ) {}

  /**
   * Whoever wanted it merged, as they stand now; null when it is not merged. Who may not merge any
   * more loses the wish (docs/reference/merge-requests.md#merging-when-the-build-succeeds); in a
   * project that takes no changes at the moment it is kept.
   */
  async of(mergeRequest: LocatedMergeRequest): Promise<Merger | null> {
    const { projectId, targetBranch, mergeUserId } = mergeRequest;
    const merger =
      mergeUserId === null ? null : await this.users.findOnProject(mergeUserId, projectId);
    if (merger === null) return this.lost(mergeRequest);
    const { archived, mergeRequestsEnabled } = merger.access.project;
    if (archived || !mergeRequestsEnabled) return null;
    const mayMerge = await this.protectedBranches.mayMerge(merger.access, targetBranch);
    return mayMerge ? merger : this.lost(mergeRequest);
  }

  private async lost(mergeRequest: LocatedMergeRequest): Promise<null> {
    const { mergeUserId } = mergeRequest;
    if (mergeUserId !== null) await this.waiting.giveUp(mergeRequest, mergeUserId);
    return null;
  }
}
