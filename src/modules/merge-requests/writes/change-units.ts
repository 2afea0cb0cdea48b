import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { PushLock } from '../../repository/index.js';
import { MergeRequestsRepository } from '../merge-requests.repository.js';
import type { UpdateMergeRequestInput } from './update-input.js';

/** The units of work in which merge requests are changed. */
@Injectable()
export class ChangeUnits {
  constructor(
    private readonly work: UnitOfWork,
    private readonly pushLock: PushLock,
    private readonly mergeRequests: MergeRequestsRepository,
  ) {}

  /**
   * Changes of which a version may have to be recorded keep pushes away from both projects. The locks
   * that does it with come before that of the request's row, as they do for a push.
   */
  async run<T>(
    { projectId, id }: { projectId: number; id: number },
    { stateEvent, targetBranch }: UpdateMergeRequestInput,
    change: () => Promise<T>,
  ): Promise<T> {
    if (stateEvent !== 'reopen' && targetBranch === undefined) return this.work.run(change);
    const seen = await this.mergeRequests.findIn(projectId, id);
    return this.pushLock.hold([projectId, seen?.sourceProjectId ?? projectId], change);
  }
}
