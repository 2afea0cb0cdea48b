import { Injectable, Logger } from '@nestjs/common';
import { HandlesJob, type JobContext, type JobHandler } from '../../../platform/queue/index.js';
import { ProjectMeasurement } from './project-measurement.js';
import { ProjectSizesRepository } from './project-sizes.repository.js';
import { settleReservations } from './quota.jobs.js';

/** The others come with the next run. */
const PROJECTS_OF_ONE_RUN = 500;

/** Releases reservations that have expired: what their processes have stored is measured instead. */
@Injectable()
@HandlesJob(settleReservations)
export class SettleReservations implements JobHandler {
  private readonly logger = new Logger(SettleReservations.name);

  constructor(
    private readonly sizes: ProjectSizesRepository,
    private readonly measurement: ProjectMeasurement,
  ) {}

  async handle(_payload: object, { signal }: JobContext): Promise<void> {
    for (const project of await this.sizes.withExpired(PROJECTS_OF_ONE_RUN)) {
      signal.throwIfAborted();
      try {
        await this.measurement.correct(project);
      } catch (error) {
        // One project that cannot be measured keeps no other from it.
        this.logger.error(`Project ${String(project.id)} could not be measured`, error);
      }
    }
  }
}
