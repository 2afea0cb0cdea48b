import { Injectable } from '@nestjs/common';
import { HandlesJob, type JobContext, type JobHandler } from '../../../platform/queue/index.js';
import { MergeRequestsRepository } from '../merge-requests.repository.js';
import { FollowedRequestsRepository } from './followed-requests.repository.js';
import { Mergeability } from './mergeability.js';
import { checkMergeability, type CheckPayload } from './refresh.jobs.js';

const AT_ONCE = 100;

/** Checks what nobody has asked for yet; a request that a push concerns meanwhile has its own job. */
@Injectable()
@HandlesJob(checkMergeability)
export class CheckMergeability implements JobHandler<CheckPayload> {
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
        await this.mergeability.check(request);
      }
      ids = await this.requests.unchecked(projectId, Math.max(...ids), AT_ONCE);
    }
  }
}
