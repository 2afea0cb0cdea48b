import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Outbox } from '../../../platform/queue/index.js';
import { purgeProject, type StoredProjectPayload } from '../project.jobs.js';
import { ForkLinksRepository } from './fork-links.repository.js';

const DELAY_MS = 10_000;

/** Keeps the repository of a deleted project as long as there are forks to be filled from it. */
@Injectable()
export class CopiedSources {
  constructor(
    private readonly work: UnitOfWork,
    private readonly links: ForkLinksRepository,
    private readonly outbox: Outbox,
  ) {}

  /** Whether the removal has to wait; it is then begun anew a little later. */
  async postpone(payload: StoredProjectPayload): Promise<boolean> {
    if (!(await this.links.isBeingCopied(payload.projectId))) return false;
    const later = purgeProject.with(payload, { delayMs: DELAY_MS });
    await this.work.run(() => this.outbox.addUnlessWaiting(later));
    return true;
  }
}
