import { Injectable, Logger } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { HandlesJob, type JobHandler, Outbox } from '../../platform/queue/index.js';
import { ProjectStorage } from './project-storage.js';
import { pointHead, type ProjectPayload } from './project.jobs.js';
import { ProjectsRepository } from './projects.repository.js';
import { RepositoryLocks } from './repository-locks.js';

const CONVENTIONAL = 'master';

/** Lets HEAD of a repository follow the default branch that its project has in the database. */
@Injectable()
@HandlesJob(pointHead)
export class RepositoryHead implements JobHandler<ProjectPayload> {
  private readonly logger = new Logger(RepositoryHead.name);

  constructor(
    private readonly work: UnitOfWork,
    private readonly locks: RepositoryLocks,
    private readonly projects: ProjectsRepository,
    private readonly storage: ProjectStorage,
    private readonly outbox: Outbox,
  ) {}

  /** Call in the unit of work that changes the branch: HEAD follows it even after a crash. */
  async change(projectId: number): Promise<void> {
    await this.outbox.add(pointHead.with({ projectId }));
  }

  /** Call after that unit: HEAD follows before the change is answered, as far as it can. */
  async followNow(projectId: number): Promise<void> {
    try {
      await this.handle({ projectId });
    } catch (error) {
      this.logger.warn(`HEAD of project ${String(projectId)} follows later`, error);
    }
  }

  async handle({ projectId }: ProjectPayload): Promise<void> {
    await this.work.run(async () => {
      await this.locks.take(projectId);
      const project = await this.projects.findById(projectId);
      if (project === null) return;
      const branch = project.defaultBranch ?? project.initialBranch ?? CONVENTIONAL;
      const { refs } = this.storage.repository(project);
      if ((await refs.head()) === branch) return;
      await refs.removeStaleLocks(['HEAD']);
      await refs.setHead(branch);
    });
  }
}
