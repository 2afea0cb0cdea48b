import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { OnDomainEvent } from '../../../platform/events/index.js';
import { defineJob, HandlesJob, type JobHandler, Outbox } from '../../../platform/queue/index.js';
import { ForksDetached } from '../../projects/index.js';
import { issuableOf } from '../model/merge-request-kind.js';
import { isOpen } from '../model/merge-request.entity.js';
import { MergeRequestChanged } from '../model/merge-request.events.js';
import { MergeRequestsRepository } from '../model/merge-requests.repository.js';
import { MergeRequestChangeRecorder } from './merge-request-change-recorder.js';
import { applyStateEvent } from './merge-request-change.js';

export interface CloseDetachedPayload {
  projectId: number;
  mergeRequestId: number;
  /** The user who detached the fork; null: the request is closed in the name of its author. */
  actorId: number | null;
}

/** Closes a merge request whose source project is no longer a fork of its target project. */
const closeDetached = defineJob<CloseDetachedPayload>('merge-requests', 'close-detached', {
  transactional: true,
});

/**
 * Closes the open merge requests from projects that are deleted or no longer forks of the target
 * (docs/reference/merge-requests.md#pushes-and-branches), by one job each, since each locks its project.
 */
@Injectable()
@HandlesJob(closeDetached)
export class CloseDetachedJob implements JobHandler<CloseDetachedPayload> {
  constructor(
    private readonly work: UnitOfWork,
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly changes: MergeRequestChangeRecorder,
    private readonly outbox: Outbox,
  ) {}

  @OnDomainEvent(ForksDetached)
  async addJobs({ projectIds, actorId }: ForksDetached): Promise<void> {
    const found = await this.mergeRequests.findOpenFromForks(projectIds);
    await this.outbox.addAll(
      found.map(({ id: mergeRequestId, projectId }) =>
        closeDetached.with({ projectId, mergeRequestId, actorId }),
      ),
    );
  }

  async handle({ projectId, mergeRequestId, actorId }: CloseDetachedPayload): Promise<void> {
    await this.work.run(async () => {
      const before = await this.mergeRequests.lockIn(projectId, mergeRequestId);
      if (before === null || !isOpen(before)) return;
      const actor = actorId ?? before.authorId;
      const change = { before, after: applyStateEvent(before, 'close') };
      const after = await this.changes.write(change, actor);
      await this.changes.finishTodo(issuableOf(after), actor);
      await this.changes.publishChanges([
        new MergeRequestChanged(projectId, mergeRequestId, actor, 'close'),
      ]);
    });
  }
}
