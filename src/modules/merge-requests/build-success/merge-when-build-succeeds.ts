import { Injectable } from '@nestjs/common';
import { DomainError, type ErrorCode } from '../../../platform/errors/index.js';
import {
  HandlesJob,
  type JobContext,
  type JobHandler,
  RetryJobLaterError,
} from '../../../platform/queue/index.js';
import { CombinedStatuses } from '../../repository/index.js';
import type { MergeRequestPayload } from '../accept/accept.jobs.js';
import { AcceptJudge } from '../accept/accept-judge.js';
import { hasSucceeded, headPipeline } from '../accept/head-pipeline.js';
import type { Merger } from '../accept/merge-branches.js';
import { MergeNow } from '../accept/merge-now.js';
import { isOpen } from '../merge-request.entity.js';
import { type LocatedMergeRequest, MergeRequestsRepository } from '../merge-requests.repository.js';
import { requestedOnAccept } from '../source-branch-removal.js';
import { AutomaticMergers } from './automatic-mergers.js';
import { mergeWhenBuildSucceeds } from './build-success.jobs.js';

/** How often a request is looked at that cannot be merged, and how long after one another. */
const LOOKS = 3;
const LOOK_AGAIN_MS = 1_000;

/** What cannot be merged as it is waits on for the next success; everything else is tried again. */
const SETTLED: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'not-acceptable',
  'not-allowed',
  'record-not-found',
  'storage-limit',
]);

/**
 * Merges a request whose build has succeeded, in the name of whom it waited for
 * (docs/reference/merge-requests.md#merging-when-the-build-succeeds). Run again, it finds the
 * request merged; what a crash has left half-done, the push to come settles first.
 */
@Injectable()
@HandlesJob(mergeWhenBuildSucceeds)
export class MergeWhenBuildSucceeds implements JobHandler<MergeRequestPayload> {
  constructor(
    private readonly requests: MergeRequestsRepository,
    private readonly statuses: CombinedStatuses,
    private readonly mergers: AutomaticMergers,
    private readonly judge: AcceptJudge,
    private readonly merging: MergeNow,
  ) {}

  async handle(
    { mergeRequestId }: MergeRequestPayload,
    { attempt }: Pick<JobContext, 'attempt'>,
  ): Promise<void> {
    const [mergeRequest] = await this.requests.findByIds([mergeRequestId]);
    if (mergeRequest === undefined || !(await this.isDue(mergeRequest))) return;
    const merger = await this.mergers.of(mergeRequest);
    if (merger === null || (await this.merge(merger, mergeRequest))) return;
    // Where many are merged at once, what stands in the way may be gone in a moment.
    if (attempt < LOOKS) throw new RetryJobLaterError('It cannot be merged now', LOOK_AGAIN_MS);
  }

  private async isDue(mergeRequest: LocatedMergeRequest): Promise<boolean> {
    const pipeline = headPipeline(mergeRequest);
    if (!isOpen(mergeRequest) || !mergeRequest.mergeWhenBuildSucceeds) return false;
    return pipeline !== null && hasSucceeded(await this.statuses.ofPipeline(pipeline));
  }

  /** @returns false when it cannot be merged as it is */
  private async merge(merger: Merger, mergeRequest: LocatedMergeRequest): Promise<boolean> {
    const { access } = merger;
    const { mergeCommitMessage: message } = mergeRequest;
    const terms = { message, removeSourceBranch: requestedOnAccept(mergeRequest) };
    try {
      const refusal = await this.judge.refusal({ access, mergeRequest, whenBuildSucceeds: false });
      if (refusal !== null) return false;
      await this.merging.run(merger, mergeRequest, terms, { isAutomatic: true });
      return true;
    } catch (error) {
      if (!(error instanceof DomainError) || !SETTLED.has(error.detail.code)) throw error;
      return false;
    }
  }
}
