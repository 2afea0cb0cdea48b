import { Injectable } from '@nestjs/common';
import type { Oid } from '../../../git/index.js';
import { Outbox } from '../../../platform/queue/index.js';
import { DomainEvents } from '../../activity/index.js';
import { BranchesPushed, type PushedBranch } from '../../repository/index.js';
import { mentionCommits, readCommitsOf } from './closing.jobs.js';

/** So many commits of a push are read for what they mention. */
const MOST_READ = 10_000;
/** By one job. */
const READ_AT_ONCE = 500;

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
    const jobs = branches
      .filter(({ before, isDefault }) => isDefault && before !== null)
      .map((branch) => readCommitsOf({ projectId, userId, branch }));
    const others = mentioning(branches.filter(({ isDefault }) => !isDefault));
    for (let at = 0; at < others.length; at += READ_AT_ONCE) {
      const commits = others.slice(at, at + READ_AT_ONCE);
      jobs.push(mentionCommits.with({ projectId, userId, commits }));
    }
    await this.outbox.addAll(jobs);
  }
}

/** The commits of all branches, each once, the oldest of each branch first. */
function mentioning(branches: readonly PushedBranch[]): Oid[] {
  const commits = new Set<Oid>();
  for (const { newest } of branches) {
    for (const oid of newest.toReversed()) {
      if (commits.size === MOST_READ) return [...commits];
      commits.add(oid);
    }
  }
  return [...commits];
}
