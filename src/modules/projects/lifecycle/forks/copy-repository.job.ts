import { Injectable, Logger } from '@nestjs/common';
import {
  BRANCH_PREFIX,
  IncompleteCopyError,
  RepositoryMissingError,
} from '../../../../git/index.js';
import { UnitOfWork } from '../../../../platform/database/index.js';
import { DomainEvents } from '../../../../platform/events/index.js';
import {
  defineJob,
  HandlesJob,
  type JobContext,
  type JobHandler,
  Outbox,
} from '../../../../platform/queue/index.js';
import { RepositoryCopied } from '../../model/project.events.js';
import { PointHeadJob } from '../point-head.job.js';
import {
  isStorageLimit,
  ProjectStorage,
  storageLimitText,
  StorageQuota,
} from '../../../storage/index.js';
import { type CopiedProject, ForksRepository, type PendingCopy } from './forks.repository.js';

/** Attempts in a row; `ResumeFillingJob` starts new ones much later. */
const ATTEMPTS = 6;
const SOURCE_DELAY_MS = 5_000;

/** Copies branches and tags of the source into a fork. */
export const copyRepository = defineJob<PendingCopy>('forks', 'copy-repository', {
  attempts: ATTEMPTS,
  timeLimitMs: 90 * 60_000,
});

/** Fills a fork's repository. Repeated after a crash, it continues where it was. */
@Injectable()
@HandlesJob(copyRepository)
export class CopyRepositoryJob implements JobHandler<PendingCopy> {
  private readonly logger = new Logger(CopyRepositoryJob.name);

  constructor(
    private readonly forks: ForksRepository,
    private readonly storage: ProjectStorage,
    private readonly quota: StorageQuota,
    private readonly head: PointHeadJob,
    private readonly work: UnitOfWork,
    private readonly events: DomainEvents,
    private readonly outbox: Outbox,
  ) {}

  async handle(payload: PendingCopy, context: JobContext): Promise<void> {
    const { projectId, sourceId } = payload;
    const fork = await this.forks.findPendingFork(projectId);
    if (fork === null) return;
    if (await this.forks.isBeingFilled(sourceId)) return this.postpone(payload);
    const source = await this.forks.findCopySource(sourceId);
    const failure = source === null ? null : await this.copy(source, fork, context);
    await this.finish(fork, source, failure);
  }

  /** Waits until the source is filled itself. */
  private postpone(payload: PendingCopy): Promise<void> {
    const job = copyRepository.with(payload, { delayMs: SOURCE_DELAY_MS });
    return this.work.run(() => this.outbox.addUnlessWaiting(job));
  }

  /**
   * Copies the repository. Does nothing when that is impossible: the fork stays empty.
   * @returns why nothing was copied, if the user can do something about it
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
      if (isStorageLimit(error)) return storageLimitText(error.detail.sizes);
      const isLast = context.attempt >= ATTEMPTS;
      const isBroken = error instanceof IncompleteCopyError && isLast;
      if (!(error instanceof RepositoryMissingError) && !isBroken) throw error;
      this.logger.warn(`Fork ${String(fork.id)} stays empty: ${error.message}`);
      return null;
    }
  }

  /**
   * Records that a fork is filled, or stays empty.
   * @param source null when it was removed before the copy
   * @param failure why nothing was copied, for the user; null without failure
   */
  private async finish(
    fork: CopiedProject,
    source: CopiedProject | null,
    failure: string | null,
  ): Promise<void> {
    const branch = await this.findDefaultBranch(fork, source);
    const isFirst = await this.work.run(async () => {
      if (!(await this.forks.finishCopy(fork.id, branch))) return false;
      if (failure !== null) await this.forks.insertFailure(fork.id, source?.id ?? null, failure);
      if (branch !== null) await this.head.schedule(fork.id);
      await this.events.publish(new RepositoryCopied(fork.id, fork.storage));
      return true;
    });
    if (isFirst && branch !== null) await this.head.tryNow(fork.id, null);
  }

  /** Prefers the source's default branch, unless it was created after the copy. */
  private async findDefaultBranch(
    fork: CopiedProject,
    source: CopiedProject | null,
  ): Promise<string | null> {
    const { refs } = this.storage.repository(fork);
    for (const branch of [source?.defaultBranch ?? null, await refs.head()]) {
      if (branch !== null && (await refs.get(`${BRANCH_PREFIX}${branch}`)) !== null) return branch;
    }
    return null;
  }
}
