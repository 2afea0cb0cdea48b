import { Injectable, Logger } from '@nestjs/common';
import { RepositoryMissingError } from '../../git/index.js';
import { Database } from '../../platform/database/index.js';
import { HandlesJob, type JobContext, type JobHandler } from '../../platform/queue/index.js';
import { ProjectMeasurement, ProjectStorage, type StoredProject } from '../projects/index.js';
import { sweepLeftovers } from './repository.jobs.js';

/** How many projects are looked up with one statement. */
const AT_ONCE = 500;

/**
 * Clears away what killed pushes left in repositories that nobody pushes to any more, and measures projects
 * again: housekeeping does so as well, but only after a push that arrived.
 */
@Injectable()
@HandlesJob(sweepLeftovers)
export class SweepLeftovers implements JobHandler {
  private readonly logger = new Logger(SweepLeftovers.name);

  constructor(
    private readonly database: Database,
    private readonly storage: ProjectStorage,
    private readonly measurement: ProjectMeasurement,
  ) {}

  async handle(_payload: object, { signal }: JobContext): Promise<void> {
    for (let some = await this.after(0); some.length > 0; some = await this.after(lastOf(some))) {
      for (const project of some) {
        signal.throwIfAborted();
        await this.sweep(project);
      }
    }
  }

  /** One repository that cannot be swept keeps no other from it. */
  private async sweep(project: StoredProject): Promise<void> {
    try {
      await this.storage.repository(project).removeLeftovers();
      await this.measurement.correct(project);
    } catch (error) {
      if (error instanceof RepositoryMissingError) return;
      this.logger.error(`Project ${String(project.id)} could not be swept`, error);
    }
  }

  private after(id: number): Promise<StoredProject[]> {
    return this.database.rows<StoredProject>(
      `SELECT id, storage FROM projects
        WHERE id > $1 AND deleted_at IS NULL ORDER BY id LIMIT ${String(AT_ONCE)}`,
      [id],
    );
  }
}

function lastOf(projects: readonly StoredProject[]): number {
  return projects.at(-1)?.id ?? 0;
}
