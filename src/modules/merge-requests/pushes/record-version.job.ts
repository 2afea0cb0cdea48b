import { Injectable } from '@nestjs/common';
import { HandlesJob, type JobHandler } from '../../../platform/queue/index.js';
import { PushLock } from '../../repository/index.js';
import { MergeRequestsRepository } from '../model/merge-requests.repository.js';
import { PushFollower, type RecordPayload, recordVersion } from './push-follower.js';

/** Updates one merge request, under the push locks of its projects. */
@Injectable()
@HandlesJob(recordVersion)
export class RecordVersionJob implements JobHandler<RecordPayload> {
  constructor(
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly pushLock: PushLock,
    private readonly follower: PushFollower,
  ) {}

  async handle({ mergeRequestId, push, effect }: RecordPayload): Promise<void> {
    const [found] = await this.mergeRequests.findByIds([mergeRequestId]);
    if (found === undefined) return;
    const projects = [found.projectId, found.sourceProjectId ?? found.projectId];
    await this.pushLock.hold(projects, () =>
      this.follower.lockAndFollow(mergeRequestId, push, effect),
    );
  }
}
