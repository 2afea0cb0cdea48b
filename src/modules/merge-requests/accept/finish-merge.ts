import { Injectable, Logger } from '@nestjs/common';
import { HandlesJob, type JobHandler } from '../../../platform/queue/index.js';
import { IssuesService } from '../../issues/index.js';
import { MergeClosings } from '../closed-issues/merge-closings.js';
import { MergeRequestsRepository } from '../merge-requests.repository.js';
import { finishMerge, type MergeRequestPayload } from './accept.jobs.js';
import { MergeAttemptsRepository } from './merge-attempts.repository.js';
import { SourceBranches } from './source-branches.js';

/**
 * Closes the issues of a merge request that is merged and removes its source branch. The attempt's row
 * tells that this is not done yet; it goes with the branch. Each step may be repeated.
 */
@Injectable()
@HandlesJob(finishMerge)
export class FinishMerge implements JobHandler<MergeRequestPayload> {
  private readonly logger = new Logger(FinishMerge.name);

  constructor(
    private readonly requests: MergeRequestsRepository,
    private readonly attempts: MergeAttemptsRepository,
    private readonly closings: MergeClosings,
    private readonly issues: IssuesService,
    private readonly sources: SourceBranches,
  ) {}

  async handle({ mergeRequestId }: MergeRequestPayload): Promise<void> {
    const attempt = await this.attempts.find(mergeRequestId);
    const [mergeRequest] = await this.requests.findByIds([mergeRequestId]);
    if (attempt === null || mergeRequest?.state !== 'merged') return;
    for (const closing of await this.closings.of(mergeRequest, attempt.userId)) {
      await this.issues.close(closing);
    }
    await this.sources.removeMerged(mergeRequest, attempt, () =>
      this.attempts.remove(mergeRequestId),
    );
  }

  /** Does it at once, for whoever waits for the answer; if that fails, the job is still there. */
  async now(mergeRequestId: number): Promise<void> {
    try {
      await this.handle({ mergeRequestId });
    } catch (error) {
      this.logger.warn(`Merge request ${String(mergeRequestId)} is left to its job`, error);
    }
  }
}
