import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/queue/index.js';
import { OnDomainEvent } from '../../activity/index.js';
import { PushPhase, PushRecorded } from '../../repository/index.js';
import { FollowSource } from './follow-source.js';
import { FollowedRequestsRepository } from './followed-requests.repository.js';
import { RefreshRequests } from './refresh-requests.js';
import { checkSoon, followBranches, type MovedBranch } from './refresh.jobs.js';

/**
 * With more branches at once merge requests follow in the background
 * (docs/reference/git.md#what-follows-a-push).
 */
const AT_ONCE = 1_000;

/** Brings merge requests up to date with a push, in the unit of work that records it. */
@Injectable()
export class PushRecordedListener {
  constructor(
    private readonly refresh: RefreshRequests,
    private readonly source: FollowSource,
    private readonly requests: FollowedRequestsRepository,
    private readonly outbox: Outbox,
  ) {}

  @OnDomainEvent(PushRecorded, { order: PushPhase.FOLLOW_BRANCHES })
  async followPush(push: PushRecorded): Promise<void> {
    if (push.deletedBranches.length > 0) await this.followDeletions(push);
    if (push.branches.length > 0) await this.followMoves(push);
  }

  private async followMoves({ projectId, userId, branches: pushed }: PushRecorded): Promise<void> {
    const branches = pushed.map(({ newest: _, ...branch }): MovedBranch => branch);
    if (branches.length <= AT_ONCE) {
      await this.refresh.run({ projectId, userId, branches });
      return;
    }
    for (let at = 0; at < branches.length; at += AT_ONCE) {
      const some = branches.slice(at, at + AT_ONCE);
      await this.outbox.add(followBranches.with({ projectId, userId, branches: some }));
    }
  }

  /** Requests keep what they consist of, and cannot be merged until the branches are there again. */
  private async followDeletions(push: PushRecorded): Promise<void> {
    const { projectId, userId, deletedBranches: names, branches } = push;
    // Those of the moved branches too: they are locked in one order before any of them is changed.
    await this.requests.hold(projectId, [...names, ...branches.map(({ name }) => name)]);
    const ids = await this.requests.comingFrom(projectId, names);
    for (const request of await this.requests.lock(ids)) await this.source.deleted(request, userId);
    const projects = await this.requests.uncheck(projectId, names, ids);
    for (const id of projects) await this.outbox.addUnlessWaiting(checkSoon(id));
  }
}
