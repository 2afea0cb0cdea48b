import { Injectable, Logger } from '@nestjs/common';
import {
  defineRecurringJob,
  HandlesJob,
  type JobContext,
  type JobHandler,
} from '../../../../platform/queue/index.js';
import { ProjectMeasurement } from './project-measurement.js';
import { ProjectSizesRepository } from './project-sizes.repository.js';

/** Projects of one run; the next run continues. */
const BATCH = 500;

/** Measures the projects that have expired reservations, once a minute. */
const settleReservations = defineRecurringJob({
  queue: 'projects',
  name: 'settle-reservations',
  everyMs: 60_000,
  timeLimitMs: 30 * 60_000,
});

/** Releases expired reservations, by measuring what their processes have stored. */
@Injectable()
@HandlesJob(settleReservations)
export class SettleReservationsJob implements JobHandler {
  private readonly logger = new Logger(SettleReservationsJob.name);

  constructor(
    private readonly sizes: ProjectSizesRepository,
    private readonly measurement: ProjectMeasurement,
  ) {}

  async handle(_payload: object, { signal }: JobContext): Promise<void> {
    for (const project of await this.sizes.listWithExpiredReservations(BATCH)) {
      signal.throwIfAborted();
      try {
        await this.measurement.correct(project);
      } catch (error) {
        // A project that cannot be measured does not stop the others.
        this.logger.error(`Project ${String(project.id)} could not be measured`, error);
      }
    }
  }
}
