import { Injectable, Logger } from '@nestjs/common';
import { GitBusyError, RepositoryMissingError } from '../../../git/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { OnDomainEvent } from '../../../platform/events/index.js';
import {
  defineJob,
  HandlesJob,
  type JobContext,
  type JobHandler,
  Outbox,
} from '../../../platform/queue/index.js';
import { RepositoryCopied } from '../../projects/index.js';
import { ProjectMeasurement, ProjectStorage } from '../../storage/index.js';

/** Pushes come in bursts, and one run after a delay serves them all. */
export const TIDY_DELAY_MS = 10_000;

interface TidyRepositoryPayload {
  projectId: number;
  storage: string;
}

/** Packs a repository and writes its commit graph, so that it stays quick to read after pushes. */
export const tidyRepository = defineJob<TidyRepositoryPayload>('repositories', 'tidy-repository', {
  timeLimitMs: 30 * 60_000,
});

/** Runs housekeeping in a repository, concurrently with pushes and clones. */
@Injectable()
@HandlesJob(tidyRepository)
export class TidyRepositoryJob implements JobHandler<TidyRepositoryPayload> {
  private readonly logger = new Logger(TidyRepositoryJob.name);

  constructor(
    private readonly storage: ProjectStorage,
    private readonly measurement: ProjectMeasurement,
    private readonly work: UnitOfWork,
    private readonly outbox: Outbox,
  ) {}

  async handle(
    payload: TidyRepositoryPayload,
    { signal }: Pick<JobContext, 'signal'>,
  ): Promise<void> {
    const project = { id: payload.projectId, storage: payload.storage };
    try {
      const { packsBefore, packsAfter } = await this.storage
        .repository(project)
        .housekeeping({ signal });
      this.logger.debug(
        `Tidied project ${String(project.id)}: ${String(packsBefore)} packs, now ${String(packsAfter)}`,
      );
      await this.measurement.correct(project, ['repository']);
    } catch (error) {
      if (error instanceof GitBusyError) await this.retryLater(payload);
      // Without a repository, the project has been deleted since the push.
      else if (!(error instanceof RepositoryMissingError)) throw error;
    }
  }

  /** Queues the first run in a fork. */
  @OnDomainEvent(RepositoryCopied)
  async queueForCopy({ projectId, storage }: RepositoryCopied): Promise<void> {
    await this.outbox.addUnlessWaiting(tidyRepository.with({ projectId, storage }));
  }

  /** Queues another run: the one under way may have begun before the latest push. */
  private retryLater({ projectId, storage }: TidyRepositoryPayload): Promise<void> {
    const job = tidyRepository.with({ projectId, storage }, { delayMs: TIDY_DELAY_MS });
    return this.work.run(() => this.outbox.addUnlessWaiting(job));
  }
}
