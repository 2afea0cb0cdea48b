import { Injectable, Logger } from '@nestjs/common';
import { IsNull, MoreThan } from 'typeorm';
import { RepositoryMissingError } from '../../../git/index.js';
import { Database } from '../../../platform/database/index.js';
import {
  defineRecurringJob,
  HandlesJob,
  type JobContext,
  type JobHandler,
} from '../../../platform/queue/index.js';
import { Project } from '../../projects/index.js';
import {
  ProjectMeasurement,
  ProjectStorage,
  RefMovesRepository,
  type StoredProject,
} from '../../storage/index.js';

/** How many projects one statement looks up. */
const BATCH_SIZE = 500;

/** Removes the files that killed pushes have left in repositories, once a day. */
const sweepLeftovers = defineRecurringJob({
  queue: 'repositories',
  name: 'sweep-leftovers',
  everyMs: 24 * 60 * 60_000,
  timeLimitMs: 60 * 60_000,
});

/**
 * Removes the files that killed pushes have left in any repository, and measures all projects again.
 * Housekeeping does both as well, but only after a push that succeeded.
 */
@Injectable()
@HandlesJob(sweepLeftovers)
export class SweepLeftoversJob implements JobHandler {
  private readonly logger = new Logger(SweepLeftoversJob.name);

  constructor(
    private readonly database: Database,
    private readonly storage: ProjectStorage,
    private readonly measurement: ProjectMeasurement,
    private readonly refMoves: RefMovesRepository,
  ) {}

  async handle(_payload: object, { signal }: JobContext): Promise<void> {
    await this.refMoves.deleteExpired();
    let batch = await this.findProjectsAfter(0);
    while (batch.length > 0) {
      for (const project of batch) {
        signal.throwIfAborted();
        await this.sweep(project);
      }
      batch = await this.findProjectsAfter(batch.at(-1)?.id ?? 0);
    }
  }

  /** Sweeps one repository. Logs a failure, so that the others are swept nevertheless. */
  private async sweep(project: StoredProject): Promise<void> {
    try {
      await this.storage.repository(project).removeLeftovers();
      await this.measurement.correct(project);
    } catch (error) {
      if (error instanceof RepositoryMissingError) return;
      this.logger.error(`Sweeping project ${String(project.id)} failed`, error);
    }
  }

  private findProjectsAfter(id: number): Promise<StoredProject[]> {
    return this.database.of(Project).find({
      select: { id: true, storage: true },
      where: { id: MoreThan(id), deletedAt: IsNull() },
      order: { id: 'ASC' },
      take: BATCH_SIZE,
    });
  }
}
