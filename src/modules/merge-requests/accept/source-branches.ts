import { Injectable } from '@nestjs/common';
import { BRANCH_PREFIX } from '../../../git/index.js';
import { DomainError } from '../../../platform/errors/index.js';
import { ProjectAccessRepository } from '../../access/index.js';
import { ProjectStorage } from '../../projects/index.js';
import { BranchesService } from '../../repository/index.js';
import { ActingUsers } from '../../users/index.js';
import type { LocatedMergeRequest } from '../merge-requests.repository.js';
import { SourceBranchRights } from '../source-branch-rights.js';
import type { MergeAttempt } from './merge-attempt.entity.js';

/** The branches that merge requests come from. */
@Injectable()
export class SourceBranches {
  constructor(
    private readonly users: ActingUsers,
    private readonly projects: ProjectAccessRepository,
    private readonly storage: ProjectStorage,
    private readonly branches: BranchesService,
    private readonly rights: SourceBranchRights,
  ) {}

  async exists({ sourceProjectId, sourceBranch }: LocatedMergeRequest): Promise<boolean> {
    if (sourceProjectId === null) return false;
    const source = await this.projects.find(null, { id: sourceProjectId });
    if (source === null) return false;
    const { refs } = this.storage.repository(source.project);
    return (await refs.get(BRANCH_PREFIX + sourceBranch)) !== null;
  }

  /**
   * Removes the branch of a request that was accepted, if that was wished for. Passed over are
   * branches that moved on, that are protected or the default one, and those that whoever wished it
   * may not delete (docs/reference/merge-requests.md#removing-the-source-branch).
   * @param alongside what to write when that is decided
   * @throws DomainError unavailable
   */
  async removeMerged(
    mergeRequest: LocatedMergeRequest,
    attempt: MergeAttempt,
    alongside: () => Promise<void>,
  ): Promise<void> {
    const { sourceBranch: name, headSha: target } = mergeRequest;
    const pusher = await this.removerOf(mergeRequest, attempt);
    if (pusher === null || target === null) return alongside();
    try {
      await this.branches.deleteIfUnchanged(pusher, { name, target }, alongside);
    } catch (error) {
      if (!(error instanceof DomainError) || error.detail.code === 'unavailable') throw error;
      await alongside();
    }
  }

  /** Who wished so when accepting it, or else when writing it: judged with the rights of this moment. */
  private async removerOf(mergeRequest: LocatedMergeRequest, attempt: MergeAttempt) {
    const { sourceProjectId: id, forceRemoveSourceBranch, mergeCommitSha } = mergeRequest;
    const { shouldRemoveSourceBranch, commitSha, userId: mergerId } = attempt;
    const wisher = forceRemoveSourceBranch ? mergeRequest.forceRemoveById : null;
    const userId = shouldRemoveSourceBranch ? mergerId : wisher;
    if (userId === null || mergeCommitSha !== commitSha) return null;
    const user = await this.users.find(userId);
    if (user === null) return null;
    const access = await this.rights.find(user, id);
    return access === null ? null : { access, userId };
  }
}
