import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { type JobRequest, Outbox } from '../../../platform/queue/index.js';
import { OnPostReceive, type ReceivedPush } from '../../repository/index.js';
import { CloseIssue } from '../writes/close-issue.js';
import { closingOf, readCommitsOf } from './closing.jobs.js';
import { ReadCommits } from './read-commits.js';

/**
 * Closes issues by pushed commits before the push is answered. It takes over the jobs that wait for it: what
 * fails here, or is cut short by a crash, a worker does.
 */
@Injectable()
export class CloseAtOnce {
  constructor(
    private readonly work: UnitOfWork,
    private readonly outbox: Outbox,
    private readonly commits: ReadCommits,
    private readonly issues: CloseIssue,
  ) {}

  @OnPostReceive()
  async closeIssues({ project, userId, branches }: ReceivedPush): Promise<undefined> {
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
