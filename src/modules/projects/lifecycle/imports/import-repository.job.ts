import { Injectable, Logger } from '@nestjs/common';
import { ImportTooLargeError, RemoteError, RepositoryMissingError } from '../../../../git/index.js';
import {
  HostRefusedError,
  HostUnknownError,
  OutboundHosts,
} from '../../../../platform/net/index.js';
import { UnitOfWork } from '../../../../platform/database/index.js';
import {
  defineJob,
  exponentialBackoff,
  HandlesJob,
  type JobContext,
  type JobHandler,
  JobSlots,
  JobTimeLimitError,
  Outbox,
} from '../../../../platform/queue/index.js';
import { ProjectsRepository } from '../../model/projects.repository.js';
import { isStorageLimit } from '../../../storage/index.js';
import { failureOf, ImportRunner, ProjectDeletedError } from './import-runner.js';
import { ImportsRepository, type RunningImport } from './imports.repository.js';

/** Attempts when the failure may be temporary. */
const ATTEMPTS = 3;
/** Imports that one worker process runs at once. They mostly wait for the network. */
const WORKER_CONCURRENCY = 4;
/** The longest time of one attempt (docs/reference/projects.md#import-addresses). */
const FETCH_LIMIT_MS = 60 * 60_000;
/** The time for what follows the fetch: storing the objects and recording the result. */
const MARGIN_MS = 10 * 60_000;

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
  concurrency: WORKER_CONCURRENCY,
  timeLimitMs: FETCH_LIMIT_MS + MARGIN_MS,
});

/**
 * Fills a project's repository from another server. Repeated after a crash, it starts over, or finds the repository
 * filled and only records that. Every failure leaves a project that can be used. A user gets at most half of the slots.
 */
@Injectable()
@HandlesJob(importRepository)
export class ImportRepositoryJob implements JobHandler<ImportPayload> {
  private readonly logger = new Logger(ImportRepositoryJob.name);
  private readonly slots = new JobSlots(WORKER_CONCURRENCY / 2);

  constructor(
    private readonly imports: ImportsRepository,
    private readonly projects: ProjectsRepository,
    private readonly hosts: OutboundHosts,
    private readonly runner: ImportRunner,
    private readonly work: UnitOfWork,
    private readonly outbox: Outbox,
  ) {}

  async handle(payload: ImportPayload, context: JobContext): Promise<void> {
    const { projectId } = payload;
    const found = await this.imports.find(projectId);
    const key = found === null ? `project ${String(projectId)}` : `user ${String(found.userId)}`;
    const slot = await this.slots.acquire([key]);
    if (typeof slot === 'number') {
      await this.postpone(payload, slot);
      return;
    }
    try {
      await this.import(payload, context);
    } finally {
      slot.release();
    }
  }

  private postpone(payload: ImportPayload, delayMs: number): Promise<void> {
    const job = importRepository.with(payload, { delayMs });
    return this.work.run(() => this.outbox.addUnlessWaiting(job));
  }

  private async import({ projectId }: ImportPayload, context: JobContext): Promise<void> {
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
    await this.runner.finish(running);
  }

  private async fetch(running: RunningImport, stop: AbortSignal): Promise<void> {
    const { address, credentials } = running;
    const { addresses } = await this.hosts.pin(new URL(address).hostname);
    await this.runner.fetch(running, { address, pinned: addresses, credentials }, stop);
  }

  /** Ends the import with an empty repository, or throws to let the queue retry a temporary failure. */
  private async fail(projectId: number, error: unknown, context: JobContext): Promise<void> {
    const { attempt, signal } = context;
    if (signal.aborted && !(signal.reason instanceof JobTimeLimitError)) throw error;
    const isRetried = isTemporary(error) && !signal.aborted && attempt < ATTEMPTS;
    if (isRetried) throw error;
    const failure = signal.aborted ? TIMED_OUT : failureOf(error);
    this.logger.warn(`The import of project ${String(projectId)} has failed: ${failure}`);
    await this.runner.fail(projectId, failure);
  }
}

function isTemporary(error: unknown): boolean {
  if (error instanceof HostUnknownError) return error.temporary;
  if (error instanceof RemoteError) return error.passes;
  if (isStorageLimit(error)) return false;
  return !PERMANENT.some((kind) => error instanceof kind);
}
