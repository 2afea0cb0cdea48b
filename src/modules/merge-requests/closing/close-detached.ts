import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { HandlesJob, type JobHandler } from '../../../platform/queue/index.js';
import { issuableOf } from '../merge-request-kind.js';
import { isOpen } from '../merge-request.entity.js';
import { MergeRequestChanged } from '../merge-request.events.js';
import { MergeRequestsRepository } from '../merge-requests.repository.js';
import { MergeRequestChanges } from '../writes/merge-request-changes.js';
import { MergeRequestOutcome } from '../writes/merge-request-outcome.js';
import { afterEvent } from '../writes/state-changes.js';
import { closeDetached, type CloseDetachedPayload } from './closing.jobs.js';

@Injectable()
@HandlesJob(closeDetached)
export class CloseDetached implements JobHandler<CloseDetachedPayload> {
  constructor(
    private readonly work: UnitOfWork,
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly changes: MergeRequestChanges,
    private readonly outcome: MergeRequestOutcome,
  ) {}

  async handle({ projectId, mergeRequestId, actorId }: CloseDetachedPayload): Promise<void> {
    await this.work.run(async () => {
      const before = await this.mergeRequests.lockIn(projectId, mergeRequestId);
      if (before === null || !isOpen(before)) return;
      const actor = actorId ?? before.authorId;
      const after = await this.changes.write({ before, after: afterEvent(before, 'close') }, actor);
      await this.outcome.finishTodo(issuableOf(after), actor);
      await this.outcome.done([new MergeRequestChanged(projectId, mergeRequestId, actor, 'close')]);
    });
  }
}
