import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { HandlesJob, type JobHandler, Outbox } from '../../../platform/queue/index.js';
import { ForkCopiesRepository } from '../forks/fork-copies.repository.js';
import { copyRepository } from '../forks/fork.jobs.js';
import { importRepository } from '../imports/import.jobs.js';
import { ProjectImportsRepository } from '../imports/project-imports.repository.js';
import { resumeFilling } from './readiness.jobs.js';

/** A copy that runs for longer is not harmed by a second one. */
const COPIES_AFTER_MINUTES = 120;
/** A running import is heard of every few seconds; one that waits behind others is not harmed. */
const IMPORTS_AFTER_MINUTES = 120;

/**
 * Jobs are given up after some failures, such as a database that was away: their projects would wait
 * forever. All that is done here may be done twice.
 */
@Injectable()
@HandlesJob(resumeFilling)
export class ResumeFilling implements JobHandler {
  constructor(
    private readonly work: UnitOfWork,
    private readonly copies: ForkCopiesRepository,
    private readonly imports: ProjectImportsRepository,
    private readonly outbox: Outbox,
  ) {}

  async handle(): Promise<void> {
    await this.work.run(async () => {
      const imports = await this.imports.abandoned(IMPORTS_AFTER_MINUTES);
      const copies = await this.copies.abandoned(COPIES_AFTER_MINUTES);
      for (const projectId of imports) {
        await this.outbox.addUnlessWaiting(importRepository.with({ projectId }));
      }
      for (const copy of copies) await this.outbox.addUnlessWaiting(copyRepository.with(copy));
    });
  }
}
