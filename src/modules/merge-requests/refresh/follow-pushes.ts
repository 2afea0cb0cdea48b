import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/queue/index.js';
import { DomainEvents } from '../../activity/index.js';
import { BranchesDeleted, BranchesPushed } from '../../repository/index.js';
import { FollowSource } from './follow-source.js';
import { FollowedRequestsRepository } from './followed-requests.repository.js';
import { RefreshRequests } from './refresh-requests.js';
import { checkSoon, followBranches, type MovedBranch } from './refresh.jobs.js';

/** With more branches at once merge requests follow in the background (open points 8.3). */
const AT_ONCE = 1_000;

/** Lets merge requests follow what is pushed, in the unit of work that records the push. */
@Injectable()
export class FollowPushes {
  constructor(
    private readonly refresh: RefreshRequests,
    private readonly source: FollowSource,
    private readonly requests: FollowedRequestsRepository,
    private readonly outbox: Outbox,
    events: DomainEvents,
  ) {
    events.subscribe(BranchesPushed, (pushed) => this.follow(pushed));
    events.subscribe(BranchesDeleted, (deleted) => this.part(deleted));
  }

  private async follow({ projectId, userId, branches: pushed }: BranchesPushed): Promise<void> {
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
  private async part({ projectId, userId, names, moved }: BranchesDeleted): Promise<void> {
    await this.requests.hold(projectId, [...names, ...moved]);
    const ids = await this.requests.comingFrom(projectId, names);
    for (const request of await this.requests.lock(ids)) await this.source.deleted(request, userId);
    const projects = await this.requests.uncheck(projectId, names, ids);
    for (const id of projects) await this.outbox.addUnlessWaiting(checkSoon(id));
  }
}
