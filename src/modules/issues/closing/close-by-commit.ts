import { Injectable } from '@nestjs/common';
import { HandlesJob, type JobHandler } from '../../../platform/queue/index.js';
import { CloseIssue, type Closing } from '../writes/close-issue.js';
import { closeByCommit } from './closing.jobs.js';

@Injectable()
@HandlesJob(closeByCommit)
export class CloseByCommit implements JobHandler<Closing> {
  constructor(private readonly issues: CloseIssue) {}

  async handle(closing: Closing): Promise<void> {
    await this.issues.run(closing);
  }
}
