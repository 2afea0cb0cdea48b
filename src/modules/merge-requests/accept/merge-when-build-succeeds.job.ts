import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/index.js';
import {
  HandlesJob,
  type JobContext,
  type JobHandler,
  RetryJobLaterError,
} from '../../../platform/queue/index.js';
import { ProtectedBranchesService } from '../../repository/index.js';
import { ActingUsers } from '../../users/index.js';
import {
  type LocatedMergeRequest,
  MergeRequestsRepository,
} from '../model/merge-requests.repository.js';
import type { MergeRequestPayload } from '../merges/merges.service.js';
import type { MergeObstacle } from '../model/refusals.js';
import { requestedOnAccept } from '../model/source-branch-removal.js';
import type { Merger } from './accept-checks.js';
import { AcceptService } from './accept.service.js';
import { AutomaticMergeService, mergeWhenBuildSucceeds } from './automatic-merge.service.js';

/** The attempts for a request that cannot be merged, and the delay between them. */
const ATTEMPTS = 3;
const RETRY_DELAY_MS = 1_000;

/** Refusals after which the job is retried. */
const TRANSIENT: ReadonlySet<MergeObstacle> = new Set(['changed', 'not-permitted']);

/**
 * Merges a request that waits for nothing any more, in the name of the user who accepted it
 * (docs/reference/merge-requests.md#merging-when-the-build-succeeds). Does nothing when run again: the push of a
 * merge first recovers what a crash has interrupted, and the request is merged then.
 */
@Injectable()
@HandlesJob(mergeWhenBuildSucceeds)
export class MergeWhenBuildSucceedsJob implements JobHandler<MergeRequestPayload> {
  constructor(
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly users: ActingUsers,
    private readonly protectedBranches: ProtectedBranchesService,
    private readonly accepting: AcceptService,
    private readonly automaticMerges: AutomaticMergeService,
  ) {}

  async handle(
    { mergeRequestId }: MergeRequestPayload,
    { attempt }: Pick<JobContext, 'attempt'>,
  ): Promise<void> {
    const [mergeRequest] = await this.mergeRequests.findByIds([mergeRequestId]);
    if (mergeRequest === undefined || !(await this.automaticMerges.isDue(mergeRequest))) return;
    const merger = await this.findMerger(mergeRequest);
    if (merger === null || (await this.merge(merger, mergeRequest))) return;
    // When many requests are merged at once, the obstacle may last only a moment.
    if (attempt < ATTEMPTS) {
      throw new RetryJobLaterError('The merge request cannot be merged now', RETRY_DELAY_MS);
    }
  }

  /**
   * Finds the user who accepted the request, with the access that they have now. When they may not merge any more,
   * the request stops waiting; in a project that is archived now it keeps waiting.
   * @returns null when the request is not to be merged
   */
  private async findMerger(mergeRequest: LocatedMergeRequest): Promise<Merger | null> {
    const { projectId, targetBranch, mergeUserId } = mergeRequest;
    if (mergeUserId === null) return null;
    const merger = await this.users.findOnProject(mergeUserId, projectId);
    if (merger !== null) {
      const { archived, mergeRequestsEnabled } = merger.access.project;
      if (archived || !mergeRequestsEnabled) return null;
      if (await this.protectedBranches.mayMerge(merger.access, targetBranch)) return merger;
    }
    await this.automaticMerges.revoke(mergeRequest, mergeUserId);
    return null;
  }

  /** @returns false when the request cannot be merged as it is */
  private async merge(merger: Merger, mergeRequest: LocatedMergeRequest): Promise<boolean> {
    const { mergeCommitMessage: message, squashCommitMessage: squashMessage } = mergeRequest;
    const removeSourceBranch = requestedOnAccept(mergeRequest);
    const options = { message, squashMessage, removeSourceBranch };
    try {
      const refusal = await this.accepting.findRefusal(merger.access, mergeRequest, {
        whenBuildSucceeds: false,
      });
      if (refusal !== null) return false;
      await this.accepting.merge(merger, mergeRequest, options, true);
      return true;
    } catch (error) {
      if (!(error instanceof DomainError) || !isPermanent(error)) throw error;
      return false;
    }
  }
}

/** Whether the request keeps waiting for the next success after a refusal; the job is retried after others. */
export function isPermanent({ detail }: DomainError): boolean {
  if (detail.code === 'merge-refused') return !TRANSIENT.has(detail.reason);
  if (detail.code === 'other-head') return true;
  return detail.code === 'record-not-found' || detail.code === 'storage-limit';
}
