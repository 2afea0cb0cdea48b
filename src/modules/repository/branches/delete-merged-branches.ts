import { Injectable } from '@nestjs/common';
import { HandlesJob, type JobContext, type JobHandler } from '../../../platform/queue/index.js';
import { allows } from '../../access/index.js';
import { ActingUsers } from '../../users/index.js';
import { deleteMergedBranches, type MergedBranchesPayload as Payload } from '../repository.jobs.js';
import { MergedBranches } from './merged-branches.js';

/** Deletes merged branches for somebody who asked for it, as far as they still may. */
@Injectable()
@HandlesJob(deleteMergedBranches)
export class DeleteMergedBranches implements JobHandler<Payload> {
  constructor(
    private readonly users: ActingUsers,
    private readonly branches: MergedBranches,
  ) {}

  async handle({ projectId, userId }: Payload, { signal }: JobContext): Promise<void> {
    const access = (await this.users.findOnProject(userId, projectId))?.access;
    if (access === undefined || access.project.archived || !allows(access, 'code:push')) return;
    await this.branches.delete({ access, userId }, signal);
  }
}
