import { Injectable } from '@nestjs/common';
import {
  defineRecurringJob,
  HandlesJob,
  type JobContext,
  type JobHandler,
} from '../../platform/queue/index.js';
import { ProjectMembersService } from './members/project-members.service.js';
import { SharesService } from './shares/shares.service.js';

/**
 * Removes expired memberships and shares of projects, once a day
 * (docs/reference/members.md#expiry).
 */
const removeExpiredAccess = defineRecurringJob({
  queue: 'projects',
  name: 'remove-expired-access',
  everyMs: 24 * 60 * 60 * 1000,
  timeLimitMs: 60 * 60_000,
});

/** Removes rows only: expired memberships and shares give no access before. */
@Injectable()
@HandlesJob(removeExpiredAccess)
export class RemoveExpiredAccessJob implements JobHandler {
  constructor(
    private readonly members: ProjectMembersService,
    private readonly shares: SharesService,
  ) {}

  async handle(_: object, { signal }: Pick<JobContext, 'signal'>): Promise<void> {
    while (await this.members.removeSomeExpired()) signal.throwIfAborted();
    while (await this.shares.removeSomeExpired()) signal.throwIfAborted();
  }
}
