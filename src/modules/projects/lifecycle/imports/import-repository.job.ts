import { Injectable, Logger } from '@nestjs/common';
import { ImportTooLargeError, RemoteError, RepositoryMissingError } from '../../../../git/index.js';
import { Config } from '../../../../platform/config/index.js';
import { UnitOfWork } from '../../../../platform/database/index.js';
import {
  HostRefusedError,
  HostUnknownError,
  OutboundHosts,
} from '../../../../platform/net/index.js';
import {
  defineJob,
  exponentialBackoff,
  HandlesJob,
  type JobContext,
  type JobHandler,
  JobTimeLimitError,
} from '../../../../platform/queue/index.js';
import { DomainEvents } from '../../../activity/index.js';
import { RepositoryImported } from '../../model/project.events.js';
import { ProjectsRepository } from '../../model/projects.repository.js';
import { ProjectStorage } from '../../storage/project-storage.js';
import { pushLimitsOf } from '../../storage/push-limits.js';
import { isStorageLimit, StorageQuota } from '../../storage/quota/storage-quota.js';
import { RepositoryLocks } from '../../storage/repository-locks.repository.js';
import { ImportsRepository, type RunningImport } from './imports.repository.js';

/** Attempts when the failure may be temporary. */
const ATTEMPTS = 3;
/** The longest time of one attempt (docs/reference/projects.md#import-addresses). */
const FETCH_LIMIT_MS = 60 * 60_000;
/** The time for what follows the fetch: storing the objects and recording the result. */
const MARGIN_MS = 10 * 60_000;

/** The progress is written at most this often. */
const PROGRESS_INTERVAL_MS = 2_000;

/** The project was deleted during the import. */
class ProjectDeletedError extends Error {
  override readonly name = 'ProjectDeletedError';
}

const TIMED_OUT = 'It took too long';
/** The last two mean that the project was deleted meanwhile. */
const PERMANENT = [
  HostRefusedError,
  ImportTooLargeError,
  RepositoryMissingError,
  ProjectDeletedError,
];

/** The address is in the row of the import, so that the payload contains no credentials. */
interface ImportPayload {
  projectId: number;
}

/** Imports a repository from another server into a project. */
export const importRepository = defineJob<ImportPayload>('imports', 'import-repository', {
  attempts: ATTEMPTS,
  backoff: exponentialBackoff(2_000, 30_000),
  // They mostly wait for the network.
  concurrency: 4,
  timeLimitMs: FETCH_LIMIT_MS + MARGIN_MS,
});

/**
 * Fills a project's repository from another server. Repeated after a crash, it starts over, or finds the repository
 * filled and only records that. Every failure leaves a project that can be used.
 */
@Injectable()
@HandlesJob(importRepository)
export class ImportRepositoryJob implements JobHandler<ImportPayload> {
  private readonly logger = new Logger(ImportRepositoryJob.name);

  constructor(
    private readonly imports: ImportsRepository,
    private readonly projects: ProjectsRepository,
    private readonly hosts: OutboundHosts,
    private readonly storage: ProjectStorage,
    private readonly quota: StorageQuota,
    private readonly locks: RepositoryLocks,
    private readonly work: UnitOfWork,
    private readonly events: DomainEvents,
    private readonly config: Config,
  ) {}

  async handle({ projectId }: ImportPayload, context: JobContext): Promise<void> {
    const running = await this.imports.start(projectId);
    if (running === null) {
      // The row is missing when the user's account was erased, for example.
      await this.projects.markRepositoryReady(projectId, 'importing');
      return;
    }
    try {
      await this.fetch(running, context.signal);
    } catch (error) {
      await this.fail(projectId, error, context);
      return;
    }
    await this.finish(running);
  }

  private async fetch(running: RunningImport, stop: AbortSignal): Promise<void> {
    const { address, credentials, projectId, storage } = running;
    const progress = new ImportProgress(this.imports, projectId);
    const { addresses } = await this.hosts.pin(new URL(address).hostname);
    const project = { id: projectId, storage };
    try {
      await this.storage.repository(project).fetchFrom(
        { address, pinned: addresses, credentials },
        {
          ...pushLimitsOf(this.config),
          signal: AbortSignal.any([stop, progress.projectDeleted]),
          onProgress: (percent) => progress.report(percent),
          admit: this.quota.filling(project),
        },
      );
    } finally {
      await progress.end();
    }
  }

  /** Records the success, once. Subscribers settle what they would after a first push. */
  private finish({ projectId, userId }: RunningImport): Promise<void> {
    return this.work.run(async () => {
      await this.locks.take(projectId);
      const isFirst = await this.imports.end(projectId, null);
      const isReady = await this.projects.markRepositoryReady(projectId, 'importing');
      if (isFirst && isReady) await this.events.publish(new RepositoryImported(projectId, userId));
    });
  }

  /** Ends the import with an empty repository, or throws to let the queue retry a temporary failure. */
  private async fail(projectId: number, error: unknown, context: JobContext): Promise<void> {
    const { attempt, signal } = context;
    if (signal.aborted && !(signal.reason instanceof JobTimeLimitError)) throw error;
    const isRetried = isTemporary(error) && !signal.aborted && attempt < ATTEMPTS;
    if (isRetried) throw error;
    const failure = signal.aborted ? TIMED_OUT : failureOf(error);
    this.logger.warn(`The import of project ${String(projectId)} has failed: ${failure}`);
    await this.work.run(async () => {
      await this.imports.end(projectId, failure);
      await this.projects.markRepositoryReady(projectId, 'importing');
    });
  }
}

function isTemporary(error: unknown): boolean {
  if (error instanceof HostUnknownError) return error.temporary;
  if (error instanceof RemoteError) return error.passes;
  if (isStorageLimit(error)) return false;
  return !PERMANENT.some((kind) => error instanceof kind);
}

/** Returns the service's own texts only: others may contain secrets. */
function failureOf(error: unknown): string {
  if (isStorageLimit(error)) return error.detail.text;
  const isOwn =
    error instanceof RemoteError ||
    error instanceof ImportTooLargeError ||
    error instanceof HostRefusedError ||
    error instanceof HostUnknownError;
  return isOwn ? error.message : 'The service failed';
}

/** Writes the progress of an import, and notices when the project is deleted. */
class ImportProgress {
  private readonly deleted = new AbortController();
  private percent = 0;
  private readonly timer: NodeJS.Timeout;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly imports: ImportsRepository,
    private readonly projectId: number,
  ) {
    this.timer = setInterval(() => {
      this.writing = this.write();
    }, PROGRESS_INTERVAL_MS);
    this.timer.unref();
  }

  /** Aborted when the project is deleted. */
  get projectDeleted(): AbortSignal {
    return this.deleted.signal;
  }

  report(percent: number): void {
    this.percent = percent;
  }

  async end(): Promise<void> {
    clearInterval(this.timer);
    await this.writing;
  }

  private async write(): Promise<void> {
    try {
      const isRunning = await this.imports.advance(this.projectId, this.percent);
      if (!isRunning) this.deleted.abort(new ProjectDeletedError('The project was deleted'));
    } catch {
      // The next write follows soon; an import does not fail for a missing one.
    }
  }
}
