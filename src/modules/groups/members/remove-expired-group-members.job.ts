import { Injectable } from '@nestjs/common';
import {
  defineRecurringJob,
  HandlesJob,
  type JobContext,
  type JobHandler,
} from '../../../platform/queue/index.js';
import { GroupMembersService } from './group-members.service.js';

/** Removes expired memberships of groups, once a day. */
export const removeExpiredGroupMembers = defineRecurringJob({
  queue: 'groups',
  name: 'remove-expired-members',
  everyMs: 24 * 60 * 60 * 1000,
  timeLimitMs: 60 * 60_000,
});

/** Removes the last owner of a group like any other member: an expired owner has no rights any more. */
@Injectable()
@HandlesJob(removeExpiredGroupMembers)
export class RemoveExpiredGroupMembersJob implements JobHandler {
  constructor(private readonly members: GroupMembersService) {}

  async handle(_: object, { signal }: Pick<JobContext, 'signal'>): Promise<void> {
    while (await this.members.removeSomeExpired()) signal.throwIfAborted();
  }
}
