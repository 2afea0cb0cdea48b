import { Injectable } from '@nestjs/common';
import { HandlesJob, type JobHandler } from '../../platform/queue/index.js';
import { ProjectStorage } from './project-storage.js';
import { purgeProject, type StoredProjectPayload } from './project.jobs.js';
import { ProjectsRepository } from './projects.repository.js';

/** The repository goes first: while the row is there, a repeated job finds its way. */
@Injectable()
@HandlesJob(purgeProject)
export class PurgeProject implements JobHandler<StoredProjectPayload> {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly storage: ProjectStorage,
  ) {}

  async handle({ projectId, storage }: StoredProjectPayload): Promise<void> {
    await this.storage.remove({ id: projectId, storage });
    await this.projects.purge(projectId);
  }
}
