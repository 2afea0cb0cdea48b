import { Injectable } from '@nestjs/common';
import { HandlesJob, type JobContext, type JobHandler } from '../../../platform/queue/index.js';
import { removeExpiredGroupMembers } from './group-member.jobs.js';
import { GroupMembersService } from './group-members.service.js';

/**
 * Clears away rows that have given nothing since their day came. Owners are no exception: an owner
 * who has expired is none any more, whether or not the row is there.
 */
@Injectable()
@HandlesJob(removeExpiredGroupMembers)
export class RemoveExpiredGroupMembers implements JobHandler {
  constructor(private readonly members: GroupMembersService) {}

  async handle(_: object, { signal }: Pick<JobContext, 'signal'>): Promise<void> {
    while (await this.members.removeSomeExpired()) signal.throwIfAborted();
  }
}
