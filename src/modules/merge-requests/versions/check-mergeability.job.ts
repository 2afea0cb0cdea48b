import { Injectable, Logger } from '@nestjs/common';
import {
  defineJob,
  HandlesJob,
  type JobContext,
  type JobHandler,
  type JobRequest,
} from '../../../platform/queue/index.js';
import { isGitFailure, MergeRequestBranches } from './merge-request-branches.js';
import {
  type LocatedMergeRequest,
  MergeRequestsRepository,
} from '../model/merge-requests.repository.js';
import { VersionsRepository } from './versions.repository.js';

/** Pushes come in bursts: one run a little later serves all of them. */
const CHECK_DELAY_MS = 1_000;

const BATCH = 100;

interface CheckPayload {
  /** The target project. */
  projectId: number;
}

/** Checks the open merge requests of a project whose merge status is `unchecked`. */
const checkMergeability = defineJob<CheckPayload>('merge-requests', 'check-mergeability', {
  timeLimitMs: 30 * 60_000,
});

export const checkSoon = (projectId: number): JobRequest =>
  checkMergeability.with({ projectId }, { delayMs: CHECK_DELAY_MS });

/** Checks the requests in ID order; a push to their branches meanwhile adds a job of its own. */
@Injectable()
@HandlesJob(checkMergeability)
export class CheckMergeabilityJob implements JobHandler<CheckPayload> {
  private readonly logger = new Logger(CheckMergeabilityJob.name);

  constructor(
    private readonly versions: VersionsRepository,
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly branches: MergeRequestBranches,
  ) {}

  async handle({ projectId }: CheckPayload, { signal }: JobContext): Promise<void> {
    let ids = await this.versions.findUnchecked(projectId, 0, BATCH);
    while (ids.length > 0) {
      for (const request of await this.mergeRequests.findByIds(ids)) {
        signal.throwIfAborted();
        await this.check(request);
      }
      ids = await this.versions.findUnchecked(projectId, Math.max(...ids), BATCH);
    }
  }

  /** Skips a request that git fails at; reading it reports the failure. */
  private async check(request: LocatedMergeRequest): Promise<void> {
    try {
      await this.branches.checkMergeability(request);
    } catch (error) {
      if (!isGitFailure(error)) throw error;
      this.logger.warn(`Merge request ${String(request.id)} cannot be checked`, error);
    }
  }
}
