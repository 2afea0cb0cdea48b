import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { type JobRequest, Outbox } from '../../../platform/queue/index.js';
import { PushFollowUps, type ToldPush } from '../../repository/index.js';
import { CloseIssue } from '../writes/close-issue.js';
import { closingOf, readCommitsOf } from './closing.jobs.js';
import { ReadCommits } from './read-commits.js';

/** Closes issues by pushed commits while the pusher waits (open points 8.3): it does their jobs itself. */
@Injectable()
export class CloseAtOnce {
  constructor(
    private readonly work: UnitOfWork,
    private readonly outbox: Outbox,
    private readonly commits: ReadCommits,
    private readonly issues: CloseIssue,
    followUps: PushFollowUps,
  ) {
    followUps.register((push) => this.follow(push));
  }

  private async follow({ project, userId, branches }: ToldPush): Promise<void> {
    const branch = branches.find(({ isDefault, before }) => isDefault && before !== null);
    if (branch === undefined || !(await this.commits.mayClose(project, branch))) return;
    const payload = { projectId: project.id, userId, branch };
    const closings = await this.takeOver(readCommitsOf(payload), () => this.commits.read(payload));
    for (const closing of closings ?? []) {
      await this.takeOver(closingOf(closing), () => this.issues.run(closing));
    }
  }

  /** Does a job as a worker would; null when one has it already. */
  private takeOver<T>(job: JobRequest, work: () => Promise<T>): Promise<T | null> {
    return this.work.run(async () => ((await this.outbox.takeBack(job)) ? work() : null));
  }
}
