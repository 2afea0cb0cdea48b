import { Injectable } from '@nestjs/common';
import { HandlesJob, type JobContext, type JobHandler } from '../../../platform/queue/index.js';
import { allows, ProjectAccessRepository } from '../../access/index.js';
import { UsersRepository } from '../../users/index.js';
import { deleteMergedBranches, type MergedBranchesPayload as Payload } from '../repository.jobs.js';
import { MergedBranches } from './merged-branches.js';

/** Deletes merged branches for somebody who asked for it, as far as they still may. */
@Injectable()
@HandlesJob(deleteMergedBranches)
export class DeleteMergedBranches implements JobHandler<Payload> {
  constructor(
    private readonly users: UsersRepository,
    private readonly projects: ProjectAccessRepository,
    private readonly branches: MergedBranches,
  ) {}

  async handle({ projectId, userId }: Payload, { signal }: JobContext): Promise<void> {
    const user = await this.users.findById(userId);
    if (user?.state !== 'active') return;
    const access = await this.projects.find(user, { id: projectId });
    if (access === null || access.project.archived || !allows(access, 'code:push')) return;
    await this.branches.delete({ access, userId }, signal);
  }
}
