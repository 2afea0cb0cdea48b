import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import {
  methodNotAllowed,
  notAcceptable,
  recordNotFound,
  unauthenticated,
} from '../../../platform/errors/index.js';
import type { ProjectAccess } from '../../access/index.js';
import { SystemNotesRepository } from '../../issuables/index.js';
import { MergeRights } from '../../repository/index.js';
import type { Merger } from '../accept/merge-branches.js';
import { isOpen } from '../merge-request.entity.js';
import { issuableOf } from '../merge-request-kind.js';
import { type LocatedMergeRequest, MergeRequestsRepository } from '../merge-requests.repository.js';
import { MergeRequestChanges } from '../writes/merge-request-changes.js';
import { NOT_TO_BE_MERGED } from '../writes/state-changes.js';

/**
 * Has merge requests wait for their builds no longer
 * (docs/reference/merge-requests.md#merging-when-the-build-succeeds).
 */
@Injectable()
export class EndWaiting {
  constructor(
    private readonly work: UnitOfWork,
    private readonly requests: MergeRequestsRepository,
    private readonly changes: MergeRequestChanges,
    private readonly notes: SystemNotesRepository,
    private readonly rights: MergeRights,
  ) {}

  /**
   * At somebody's wish.
   * @returns the request as it is then
   * @throws DomainError record not found, unauthenticated for who may neither accept it nor is its author,
   *   method not allowed when it is merged or closed, not acceptable when it does not wait
   */
  cancel({ user, access }: Merger, id: number): Promise<LocatedMergeRequest> {
    return this.work.run(async () => {
      const current = await this.requests.lockIn(access.project.id, id);
      if (current === null) throw recordNotFound();
      if (!(await this.mayCancel(access, user.id, current))) throw unauthenticated();
      if (!isOpen(current)) throw methodNotAllowed();
      if (!current.mergeWhenBuildSucceeds) throw notAcceptable("Can't cancel the automatic merge");
      return this.end(current, user.id);
    });
  }

  /** Because whoever wanted it merged may not merge it any more. */
  async giveUp(seen: LocatedMergeRequest, mergerId: number): Promise<void> {
    await this.work.run(async () => {
      const current = await this.requests.lockIn(seen.projectId, seen.id);
      if (current === null || !current.mergeWhenBuildSucceeds) return;
      if (current.mergeUserId === mergerId) await this.end(current, mergerId);
    });
  }

  private async mayCancel(
    access: ProjectAccess,
    userId: number,
    { authorId, targetBranch }: LocatedMergeRequest,
  ): Promise<boolean> {
    const isOwn = authorId === userId && !access.project.archived;
    return isOwn || this.rights.allow(access, targetBranch);
  }

  private async end(before: LocatedMergeRequest, actorId: number): Promise<LocatedMergeRequest> {
    await this.notes.insert(issuableOf(before), actorId, 'canceled the automatic merge');
    return this.changes.write({ before, after: { ...before, ...NOT_TO_BE_MERGED } }, actorId);
  }
}
