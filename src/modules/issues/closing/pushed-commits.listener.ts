import { Injectable } from '@nestjs/common';
import type { Oid } from '../../../git/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { OnDomainEvent } from '../../../platform/events/index.js';
import {
  defineJob,
  HandlesJob,
  type JobHandler,
  type JobRequest,
  Outbox,
} from '../../../platform/queue/index.js';
import {
  OnPostReceive,
  type PushedBranch,
  PushPhase,
  PushRecorded,
  type ReceivedPush,
} from '../../repository/index.js';
import { closingJob, IssuesService } from '../issues.service.js';
import {
  CommitReferencesService,
  type MentionCommitsPayload,
  readCommitsJob,
} from './commit-references.service.js';

/** The most commits of a push to other branches that are read for references. */
const MOST_READ = 10_000;
/** The most commits per job. */
const READ_AT_ONCE = 500;

/** Reads the commits that were pushed to other branches for references. */
const mentionCommits = defineJob<MentionCommitsPayload>('issues', 'mention-commits', {
  transactional: true,
  timeLimitMs: 5 * 60_000,
});

/** Has the commits of every push read for references to issues, and closes issues before the push is answered. */
@Injectable()
@HandlesJob(mentionCommits)
export class PushedCommitsListener implements JobHandler<MentionCommitsPayload> {
  constructor(
    private readonly work: UnitOfWork,
    private readonly outbox: Outbox,
    private readonly commits: CommitReferencesService,
    private readonly issues: IssuesService,
  ) {}

  /** Queues the jobs that read the commits. */
  @OnDomainEvent(PushRecorded, { order: PushPhase.FOLLOW_BRANCHES })
  async queueJobs({ projectId, userId, branches }: PushRecorded): Promise<void> {
    const jobs = branches
      .filter(({ before, isDefault }) => isDefault && before !== null)
      .map((branch) => readCommitsJob({ projectId, userId, branch }));
    const others = commitsOf(branches.filter(({ isDefault }) => !isDefault));
    for (let at = 0; at < others.length; at += READ_AT_ONCE) {
      const commits = others.slice(at, at + READ_AT_ONCE);
      jobs.push(mentionCommits.with({ projectId, userId, commits }));
    }
    await this.outbox.addAll(jobs);
  }

  /** Runs the job `mentionCommits`. */
  async handle(payload: MentionCommitsPayload): Promise<void> {
    await this.commits.processMentions(payload);
  }

  /** Does the jobs that close issues, or waits for the workers that do. A worker does those that fail here. */
  @OnPostReceive()
  async closeIssues({ project, userId, branches }: ReceivedPush): Promise<undefined> {
    const branch = branches.find(({ isDefault, before }) => isDefault && before !== null);
    if (branch === undefined || !(await this.commits.mayClose(project, branch))) return;
    const payload = { projectId: project.id, userId, branch };
    const closings = await this.takeOver(readCommitsJob(payload), () =>
      this.commits.processBranch(payload),
    );
    for (const closing of closings ?? (await this.commits.findClosings(payload))) {
      await this.takeOver(closingJob(closing), () => this.issues.close(closing));
    }
  }

  /** Does the work of a job and removes the job; returns null if a worker has done it. */
  private takeOver<T>(job: JobRequest, work: () => Promise<T>): Promise<T | null> {
    return this.work.run(async () => ((await this.outbox.takeOver(job)) ? work() : null));
  }
}

/** Returns the distinct commits of all branches, the oldest of each branch first. */
function commitsOf(branches: readonly PushedBranch[]): Oid[] {
  const commits = new Set<Oid>();
  for (const { newest } of branches) {
    for (const oid of newest.toReversed()) {
      if (commits.size === MOST_READ) return [...commits];
      commits.add(oid);
    }
  }
  return [...commits];
}
