import { Injectable } from '@nestjs/common';
import type { Oid } from '../../../git/index.js';
import { Outbox } from '../../../platform/queue/index.js';
import { OnDomainEvent } from '../../activity/index.js';
import { type PushedBranch, PushPhase, PushRecorded } from '../../repository/index.js';
import { mentionCommits, readCommitsOf } from './closing.jobs.js';

/** So many commits of a push are read for what they mention. */
const MOST_READ = 10_000;
/** By one job. */
const READ_AT_ONCE = 500;

/** Queues jobs that read the commits of every push for references to issues. */
@Injectable()
export class PushedCommitsListener {
  constructor(private readonly outbox: Outbox) {}

  @OnDomainEvent(PushRecorded, { order: PushPhase.FOLLOW_BRANCHES })
  async readCommits({ projectId, userId, branches }: PushRecorded): Promise<void> {
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
