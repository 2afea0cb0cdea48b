import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import {
  defineRecurringJob,
  HandlesJob,
  type JobHandler,
  Outbox,
} from '../../../platform/queue/index.js';
import { copyRepository } from './forks/copy-repository.job.js';
import { ForksRepository } from './forks/forks.repository.js';
import { importRepository } from './imports/import-repository.job.js';
import { ImportsRepository } from './imports/imports.repository.js';

/** A second job does no harm to a copy that takes longer. */
const COPY_MINUTES = 120;
/** A running import updates its row every few seconds. A second job does no harm to one that waits in the queue. */
const IMPORT_MINUTES = 120;

/** Resumes copies and imports that no job works on, every ten minutes. */
const resumeFilling = defineRecurringJob({
  queue: 'projects',
  name: 'resume-filling',
  everyMs: 10 * 60_000,
});

/**
 * Adds jobs for copies and imports whose job has failed permanently, for example while the database was not
 * available. Otherwise pushes to their projects would be refused forever. Can be repeated.
 */
@Injectable()
@HandlesJob(resumeFilling)
export class ResumeFillingJob implements JobHandler {
  constructor(
    private readonly work: UnitOfWork,
    private readonly forks: ForksRepository,
    private readonly imports: ImportsRepository,
    private readonly outbox: Outbox,
  ) {}

  async handle(): Promise<void> {
    await this.work.run(async () => {
      const imports = await this.imports.listAbandoned(IMPORT_MINUTES);
      const copies = await this.forks.listAbandonedCopies(COPY_MINUTES);
      for (const projectId of imports) {
        await this.outbox.addUnlessWaiting(importRepository.with({ projectId }));
      }
      for (const copy of copies) await this.outbox.addUnlessWaiting(copyRepository.with(copy));
    });
  }
}
