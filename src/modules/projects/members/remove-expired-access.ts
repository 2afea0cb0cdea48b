import { Injectable } from '@nestjs/common';
import { HandlesJob, type JobContext, type JobHandler } from '../../../platform/queue/index.js';
import { SharesService } from '../shares/shares.service.js';
import { removeExpiredAccess } from './project-member.jobs.js';
import { ProjectMembersService } from './project-members.service.js';

/** Clears away memberships and shares that have given nothing since their day came. */
@Injectable()
@HandlesJob(removeExpiredAccess)
export class RemoveExpiredAccess implements JobHandler {
  constructor(
    private readonly members: ProjectMembersService,
    private readonly shares: SharesService,
  ) {}

  async handle(_: object, { signal }: Pick<JobContext, 'signal'>): Promise<void> {
    while (await this.members.removeSomeExpired()) signal.throwIfAborted();
    while (await this.shares.removeSomeExpired()) signal.throwIfAborted();
  }
}
