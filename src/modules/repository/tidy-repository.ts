import { Injectable, Logger } from '@nestjs/common';
import { GitBusyError, RepositoryMissingError } from '../../git/index.js';
import { UnitOfWork } from '../../platform/database/index.js';
import {
  HandlesJob,
  type JobContext,
  type JobHandler,
  Outbox,
} from '../../platform/queue/index.js';
import { ProjectMeasurement, ProjectStorage } from '../projects/index.js';
import { TIDY_DELAY_MS, tidyRepository, type TidyPayload as Payload } from './repository.jobs.js';

/** Packs a repository after pushes, beside whatever pushes and clones are under way. */
@Injectable()
@HandlesJob(tidyRepository)
export class TidyRepository implements JobHandler<Payload> {
  private readonly logger = new Logger(TidyRepository.name);

  constructor(
    private readonly storage: ProjectStorage,
    private readonly measurement: ProjectMeasurement,
    private readonly work: UnitOfWork,
    private readonly outbox: Outbox,
  ) {}

  async handle({ projectId, storage }: Payload, { signal }: JobContext): Promise<void> {
    const repository = this.storage.repository({ id: projectId, storage });
    try {
      const { packsBefore, packsAfter } = await repository.housekeeping({ signal });
      this.logger.debug(
        `Tidied project ${String(projectId)}: ${String(packsBefore)} packs, now ${String(packsAfter)}`,
      );
      await this.measurement.correct({ id: projectId, storage }, ['repository']);
    } catch (error) {
      if (error instanceof GitBusyError) await this.later({ projectId, storage });
      // Without a repository the project was deleted since the push.
      else if (!(error instanceof RepositoryMissingError)) throw error;
    }
  }
  /** Another run is at work in this repository and may have begun before the latest push. */
  private later(payload: Payload): Promise<void> {
    const options = { delayMs: TIDY_DELAY_MS };
    return this.work.run(() => this.outbox.addUnlessWaiting(tidyRepository.with(payload, options)));
  }
}
