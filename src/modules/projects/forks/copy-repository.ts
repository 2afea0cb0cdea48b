import { Injectable, Logger } from '@nestjs/common';
import { IncompleteCopyError, RepositoryMissingError } from '../../../git/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import {
  HandlesJob,
  type JobContext,
  type JobHandler,
  Outbox,
} from '../../../platform/queue/index.js';
import { ProjectStorage } from '../project-storage.js';
import { isStorageLimit, StorageQuota } from '../quota/storage-quota.js';
import { CopyOutcome } from './copy-outcome.js';
import { type CopiedProject, ForkCopiesRepository } from './fork-copies.repository.js';
import { COPY_ATTEMPTS, copyRepository, type CopyPayload } from './fork.jobs.js';

const DELAY_MS = 5_000;

/** Fills a fork's repository. Repeated after a crash it goes on where it was. */
@Injectable()
@HandlesJob(copyRepository)
export class CopyRepository implements JobHandler<CopyPayload> {
  private readonly logger = new Logger(CopyRepository.name);

  constructor(
    private readonly copies: ForkCopiesRepository,
    private readonly outcome: CopyOutcome,
    private readonly storage: ProjectStorage,
    private readonly quota: StorageQuota,
    private readonly work: UnitOfWork,
    private readonly outbox: Outbox,
  ) {}

  async handle({ projectId, sourceId }: CopyPayload, context: JobContext): Promise<void> {
    const fork = await this.copies.waiting(projectId);
    if (fork === null) return;
    if (await this.copies.isBeingFilled(sourceId)) return this.later({ projectId, sourceId });
    const source = await this.copies.source(sourceId);
    const failure = source === null ? null : await this.copy(source, fork, context);
    await this.outcome.record(fork, source, failure);
  }

  /** What is not filled itself has nothing to give yet. */
  private later(payload: CopyPayload): Promise<void> {
    const job = copyRepository.with(payload, { delayMs: DELAY_MS });
    return this.work.run(() => this.outbox.addUnlessWaiting(job));
  }

  /**
   * Returns without a copy where there can be none: the fork stays empty then.
   * @returns why, where the user can do something about it
   */
  private async copy(
    source: CopiedProject,
    fork: CopiedProject,
    context: JobContext,
  ): Promise<string | null> {
    try {
      const from = this.storage.repository(source);
      const copy = (): Promise<void> =>
        this.storage.repository(fork).copyFrom(from, { signal: context.signal });
      const admit = this.quota.filling(fork);
      await (admit === undefined ? copy() : admit(await from.size(), copy));
      return null;
    } catch (error) {
      if (isStorageLimit(error)) return error.detail.text;
      const isLast = context.attempt >= COPY_ATTEMPTS;
      const isBroken = error instanceof IncompleteCopyError && isLast;
      if (!(error instanceof RepositoryMissingError) && !isBroken) throw error;
      this.logger.warn(`Fork ${String(fork.id)} stays empty: ${error.message}`);
      return null;
    }
  }
}
