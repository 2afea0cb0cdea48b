import { Injectable } from '@nestjs/common';
import { canSee, ProjectAccessRepository } from '../../access/index.js';
import { MergeRights } from '../../repository/index.js';
import { UsersRepository } from '../../users/index.js';
import type { Merger } from '../accept/merge-branches.js';
import type { LocatedMergeRequest } from '../merge-requests.repository.js';
import { EndWaiting } from './end-waiting.js';

/** Finds who merges requests that waited for their builds. */
@Injectable()
export class AutomaticMergers {
  constructor(
    private readonly users: UsersRepository,
    private readonly projects: ProjectAccessRepository,
    private readonly rights: MergeRights,
    private readonly waiting: EndWaiting,
  ) {}

  /**
   * Whoever wanted it merged, as they stand now; null when it is not merged. Who may not merge any more
   * loses the wish (open points 5.7); in a project that takes no changes at the moment it is kept.
   */
  async of(mergeRequest: LocatedMergeRequest): Promise<Merger | null> {
    const { projectId, targetBranch, mergeUserId } = mergeRequest;
    const user = mergeUserId === null ? null : await this.users.findById(mergeUserId);
    const access =
      user?.state === 'active' ? await this.projects.find(user, { id: projectId }) : null;
    if (user === null || access === null || !canSee(access)) return this.lost(mergeRequest);
    const { archived, mergeRequestsEnabled } = access.project;
    if (archived || !mergeRequestsEnabled) return null;
    const mayMerge = await this.rights.allow(access, targetBranch);
    return mayMerge ? { user, access } : this.lost(mergeRequest);
  }

  private async lost(mergeRequest: LocatedMergeRequest): Promise<null> {
    const { mergeUserId } = mergeRequest;
    if (mergeUserId !== null) await this.waiting.giveUp(mergeRequest, mergeUserId);
    return null;
  }
}
