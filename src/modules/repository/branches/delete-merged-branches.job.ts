import { Injectable } from '@nestjs/common';
import { HandlesJob, type JobContext, type JobHandler } from '../../../platform/queue/index.js';
import { allows } from '../../access/index.js';
import { ActingUsers } from '../../users/index.js';
import {
  BranchesService,
  deleteMergedBranches,
  type DeleteMergedBranchesPayload as Payload,
} from './branches.service.js';

/** Deletes merged branches for the user who asked for it, if the user may still push. */
@Injectable()
@HandlesJob(deleteMergedBranches)
export class DeleteMergedBranchesJob implements JobHandler<Payload> {
  constructor(
    private readonly users: ActingUsers,
    private readonly branches: BranchesService,
  ) {}

  async handle({ projectId, userId }: Payload, { signal }: JobContext): Promise<void> {
    const access = (await this.users.findOnProject(userId, projectId))?.access;
    if (access === undefined || access.project.archived || !allows(access, 'code:push')) return;
    await this.branches.deleteMerged({ access, userId }, signal);
  }
}
