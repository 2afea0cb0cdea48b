import { Injectable, Logger } from '@nestjs/common';
import { HandlesJob, type JobContext, type JobHandler } from '../../../platform/queue/index.js';
import { type LocatedMergeRequest, MergeRequestsRepository } from '../merge-requests.repository.js';
import { FollowedRequestsRepository } from './followed-requests.repository.js';
import { isOfGit } from './git-failures.js';
import { Mergeability } from './mergeability.js';
import { checkMergeability, type CheckPayload } from './refresh.jobs.js';

const AT_ONCE = 100;

/** Checks what nobody has asked for yet; a request that a push concerns meanwhile has its own job. */
@Injectable()
@HandlesJob(checkMergeability)
export class CheckMergeability implements JobHandler<CheckPayload> {
  private readonly logger = new Logger(CheckMergeability.name);

  constructor(
    private readonly requests: FollowedRequestsRepository,
    private readonly all: MergeRequestsRepository,
    private readonly mergeability: Mergeability,
  ) {}

  async handle({ projectId }: CheckPayload, { signal }: JobContext): Promise<void> {
    let ids = await this.requests.unchecked(projectId, 0, AT_ONCE);
    while (ids.length > 0) {
      for (const request of await this.all.findByIds(ids)) {
        signal.throwIfAborted();
        await this.check(request);
      }
      ids = await this.requests.unchecked(projectId, Math.max(...ids), AT_ONCE);
    }
  }

  /** Whoever reads the one that git fails at is told so. */
  private async check(request: LocatedMergeRequest): Promise<void> {
    try {
      await this.mergeability.check(request);
    } catch (error) {
      if (!isOfGit(error)) throw error;
      this.logger.warn(`Merge request ${String(request.id)} cannot be checked`, error);
    }
  }
}
