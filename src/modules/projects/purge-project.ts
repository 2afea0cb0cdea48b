import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { HandlesJob, type JobContext, type JobHandler } from '../../platform/queue/index.js';
import { UnlinkDeployKeys } from './deploy-keys/unlink-deploy-keys.js';
import { CopiedSources } from './forks/copied-sources.js';
import { ProjectRemains } from './project-remains.js';
import { ProjectStorage } from './project-storage.js';
import { purgeProject, type StoredProjectPayload } from './project.jobs.js';
import { ProjectsRepository } from './projects.repository.js';
import { ProjectUploads } from './uploads/project-uploads.js';

/** Files go first: while the row is there, a repeated job finds its way. */
@Injectable()
@HandlesJob(purgeProject)
export class PurgeProject implements JobHandler<StoredProjectPayload> {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly storage: ProjectStorage,
    private readonly uploads: ProjectUploads,
    private readonly copies: CopiedSources,
    private readonly deployKeys: UnlinkDeployKeys,
    private readonly work: UnitOfWork,
    private readonly remains: ProjectRemains,
  ) {}

  async handle(
    { projectId, storage }: StoredProjectPayload,
    { signal }: JobContext,
  ): Promise<void> {
    if (await this.copies.postpone({ projectId, storage })) return;
    await this.storage.remove({ id: projectId, storage });
    await this.uploads.remove(projectId);
    await this.unlinkDeployKeys(projectId, signal);
    await this.remains.remove(projectId, signal);
    await this.projects.purge(projectId);
  }

  /** The foreign key's cascade would delete the link and leave an orphaned key. */
  private async unlinkDeployKeys(projectId: number, signal: AbortSignal): Promise<void> {
    let isMore = true;
    while (isMore) {
      signal.throwIfAborted();
      isMore = await this.work.run(() => this.deployKeys.unlinkSomeOf([projectId]));
    }
  }
}
