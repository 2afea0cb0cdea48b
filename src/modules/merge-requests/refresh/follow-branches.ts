import { Injectable } from '@nestjs/common';
import { HandlesJob, type JobHandler } from '../../../platform/queue/index.js';
import { RepositoryLocks } from '../../projects/index.js';
import { followBranches, type FollowPayload } from './refresh.jobs.js';
import { RefreshRequests } from './refresh-requests.js';

@Injectable()
@HandlesJob(followBranches)
export class FollowBranches implements JobHandler<FollowPayload> {
  constructor(
    private readonly locks: RepositoryLocks,
    private readonly refresh: RefreshRequests,
  ) {}

  async handle(push: FollowPayload): Promise<void> {
    await this.locks.take(push.projectId);
    await this.refresh.run(push);
  }
}
