import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/queue/index.js';
import { OnDomainEvent } from '../../activity/index.js';
import { IssuableKinds, TodosService } from '../../issuables/index.js';
import { CommitStatusChanged } from '../../repository/index.js';
import { hasSucceeded } from '../accept/head-pipeline.js';
import { MergesRepository } from '../accept/merges.repository.js';
import { mergeWhenBuildSucceeds } from './build-success.jobs.js';

/**
 * Does what statuses mean for the merge requests whose heads they are of
 * (docs/reference/merge-requests.md#merging-when-the-build-succeeds). It locks none of them:
 * whoever has one wait for its build holds the pipeline as whoever posts a status does.
 */
@Injectable()
export class FollowStatuses {
  constructor(
    private readonly merges: MergesRepository,
    private readonly kinds: IssuableKinds,
    private readonly todos: TodosService,
    private readonly outbox: Outbox,
  ) {}

  @OnDomainEvent(CommitStatusChanged)
  async follow(changed: CommitStatusChanged): Promise<void> {
    const { change, combined } = changed;
    const isRepeated = change.from === null && change.follows === 'failed';
    const isFailure = change.to === 'failed';
    const isSuccess = hasSucceeded(combined.to);
    if (!isRepeated && !isFailure && !isSuccess) return;
    const requests = await this.merges.ofPipeline(changed);
    if (isRepeated) await this.finishTodos(requests);
    if (isFailure) await this.raiseTodos(requests.map(({ id }) => id));
    if (!isSuccess) return;
    for (const { id, mergeWhenBuildSucceeds: waits } of requests) {
      const job = mergeWhenBuildSucceeds.with({ mergeRequestId: id });
      if (waits) await this.outbox.addUnlessWaiting(job);
    }
  }

  private async finishTodos(requests: readonly { id: number; authorId: number }[]): Promise<void> {
    for (const { id, authorId } of requests) {
      await this.todos.finish({ type: 'MergeRequest', id }, authorId);
    }
  }

  private async raiseTodos(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    for (const request of (await this.kinds.of('MergeRequest').find(ids)).values()) {
      const { authorId } = request;
      await this.todos.raise(request, [authorId], { action: 'build_failed', authorId });
    }
  }
}
