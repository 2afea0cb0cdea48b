import { Injectable, Logger } from '@nestjs/common';
import { RepositoryMissingError } from '../../../git/index.js';
import { Config } from '../../../platform/config/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import {
  defineRecurringJob,
  HandlesJob,
  type JobContext,
  type JobHandler,
} from '../../../platform/queue/index.js';
import { ProjectStorage, type StoredProject } from '../repositories/project-storage.js';
import { UploadStorage } from '../upload-storage.js';
import type { StoragePart } from './project-size.entity.js';
import { type MeasuredSizes, ProjectSizesRepository } from './project-sizes.repository.js';

/** Measurements in a row while writers add bytes. The next run corrects what the last one counts twice. */
const MAX_ROUNDS = 3;

/** Projects of one run; the next run continues. */
const BATCH = 500;

/** Measures the projects that have expired reservations, once a minute. */
const settleReservations = defineRecurringJob({
  queue: 'projects',
  name: 'settle-reservations',
  everyMs: 60_000,
  timeLimitMs: 30 * 60_000,
});

/** Measures the size of projects on the disk, and corrects the recorded sizes. */
@Injectable()
@HandlesJob(settleReservations)
export class ProjectMeasurement implements JobHandler {
  private readonly logger = new Logger(ProjectMeasurement.name);

  constructor(
    private readonly sizes: ProjectSizesRepository,
    private readonly storage: ProjectStorage,
    private readonly uploads: UploadStorage,
    private readonly work: UnitOfWork,
    private readonly config: Config,
  ) {}

  async measure(project: StoredProject): Promise<MeasuredSizes> {
    return {
      repository: await this.measurePart(project, 'repository'),
      uploads: await this.measurePart(project, 'uploads'),
    };
  }

  /** Corrects the recorded size of a project, if there is one; deletes it where there is no limit. */
  async correct(
    project: StoredProject,
    parts: readonly StoragePart[] = ['repository', 'uploads'],
  ): Promise<void> {
    if (this.config.projectMaxBytes === Infinity) return this.sizes.remove(project.id);
    for (const part of parts) await this.correctPart(project, part);
  }

  /** Releases expired reservations, by measuring what their processes have stored. */
  async handle(_payload: object, { signal }: JobContext): Promise<void> {
    for (const project of await this.sizes.listWithExpiredReservations(BATCH)) {
      signal.throwIfAborted();
      try {
        await this.correct(project);
      } catch (error) {
        // A project that cannot be measured does not stop the others.
        this.logger.error(`Project ${String(project.id)} could not be measured`, error);
      }
    }
  }

  private async correctPart(project: StoredProject, part: StoragePart): Promise<void> {
    for (let round = 1; round <= MAX_ROUNDS; round += 1) {
      const start = await this.sizes.startMeasurement(project.id, part);
      if (start === null) return;
      const bytes = await this.measurePart(project, part);
      const correct = () => this.sizes.correct(project.id, part, start, bytes);
      if (await this.work.run(correct)) return;
    }
  }

  /** 0 for a repository that is deleted meanwhile. */
  private async measurePart(project: StoredProject, part: StoragePart): Promise<number> {
    if (part === 'uploads') return this.uploads.size(project.id);
    try {
      return await this.storage.repository(project).size();
    } catch (error) {
      if (error instanceof RepositoryMissingError) return 0;
      throw error;
    }
  }
}
