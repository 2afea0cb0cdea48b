import { Injectable } from '@nestjs/common';
import { HandlesJob, type JobHandler } from '../../../platform/queue/index.js';
import { PushLock } from '../../repository/index.js';
import { MergeRequestsRepository } from '../merge-requests.repository.js';
import { FollowRequest } from './follow-request.js';
import { FollowedRequestsRepository } from './followed-requests.repository.js';
import { recordVersion, type RecordPayload } from './refresh.jobs.js';

@Injectable()
@HandlesJob(recordVersion)
export class RecordVersion implements JobHandler<RecordPayload> {
  constructor(
    private readonly all: MergeRequestsRepository,
    private readonly requests: FollowedRequestsRepository,
    private readonly pushLock: PushLock,
    private readonly request: FollowRequest,
  ) {}

  async handle({ mergeRequestId: id, push, effect }: RecordPayload): Promise<void> {
    const [seen] = await this.all.findByIds([id]);
    if (seen === undefined) return;
    const projects = [seen.projectId, seen.sourceProjectId ?? seen.projectId];
    await this.pushLock.hold(projects, async () => {
      const [request] = await this.requests.lock([id]);
      if (request !== undefined) await this.request.run(request, push, effect);
    });
  }
}
