import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/queue/index.js';
import { DomainEvents } from '../../activity/index.js';
import { BranchesPushed } from '../../repository/index.js';
import { readCommitsOf } from './closing.jobs.js';

/** Has the commits of every push read (open points 5.4). */
@Injectable()
export class FollowPushes {
  constructor(
    private readonly outbox: Outbox,
    events: DomainEvents,
  ) {
    events.subscribe(BranchesPushed, (pushed) => this.follow(pushed));
  }

  private async follow({ projectId, userId, branches }: BranchesPushed): Promise<void> {
    const told = branches.filter(({ before, isDefault }) => before !== null || !isDefault);
    await this.outbox.addAll(told.map((branch) => readCommitsOf({ projectId, userId, branch })));
  }
}
