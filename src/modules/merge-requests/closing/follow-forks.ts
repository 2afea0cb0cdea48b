import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/queue/index.js';
import { OnDomainEvent } from '../../activity/index.js';
import { ForksDetached } from '../../projects/index.js';
import { MergeRequestsRepository } from '../merge-requests.repository.js';
import { closeDetached } from './closing.jobs.js';

/**
 * Has the open merge requests closed that come from projects which are removed, or no forks any
 * more (docs/reference/merge-requests.md#pushes-and-branches); by a job each, for each locks its
 * project.
 */
@Injectable()
export class FollowForks {
  constructor(
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly outbox: Outbox,
  ) {}

  @OnDomainEvent(ForksDetached)
  async follow({ projectIds, actorId }: ForksDetached): Promise<void> {
    const found = await this.mergeRequests.openFromForks(projectIds);
    await this.outbox.addAll(
      found.map(({ id: mergeRequestId, projectId }) =>
        closeDetached.with({ projectId, mergeRequestId, actorId }),
      ),
    );
  }
}
