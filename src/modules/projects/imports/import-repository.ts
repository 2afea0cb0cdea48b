import { Injectable, Logger } from '@nestjs/common';
import { ImportTooLargeError, RemoteError, RepositoryMissingError } from '../../../git/index.js';
import { Config } from '../../../platform/config/index.js';
import { HostRefusedError, HostUnknownError, OutboundHosts } from '../../../platform/net/index.js';
import {
  HandlesJob,
  type JobContext,
  type JobHandler,
  JobTimeLimitError,
} from '../../../platform/queue/index.js';
import { ProjectStorage } from '../project-storage.js';
import { pushLimitsOf } from '../push-limits.js';
import { isStorageLimit, StorageQuota } from '../quota/storage-quota.js';
import { IMPORT_ATTEMPTS, type ImportPayload, importRepository } from './import.jobs.js';
import { ImportOutcome } from './import-outcome.js';
import { ImportProgress, ProjectGoneError } from './import-progress.js';
import { ProjectImportsRepository, type RunningImport } from './project-imports.repository.js';

const TOO_LONG = 'It took too long';
/** With the last two the project was deleted meanwhile. */
const FINAL = [HostRefusedError, ImportTooLargeError, RepositoryMissingError, ProjectGoneError];

/**
 * Fills a new project's repository from another server. Repeated after a crash it starts over, or
 * finds the repository filled and only records that. Whatever goes wrong, the project is left usable.
 */
@Injectable()
@HandlesJob(importRepository)
export class ImportRepository implements JobHandler<ImportPayload> {
  private readonly logger = new Logger(ImportRepository.name);

  constructor(
    private readonly imports: ProjectImportsRepository,
    private readonly outcome: ImportOutcome,
    private readonly hosts: OutboundHosts,
    private readonly storage: ProjectStorage,
    private readonly quota: StorageQuota,
    private readonly config: Config,
  ) {}

  async handle({ projectId }: ImportPayload, context: JobContext): Promise<void> {
    const running = await this.imports.start(projectId);
    if (running === null) return this.outcome.release(projectId);
    try {
      await this.fetch(running, context.signal);
    } catch (error) {
      await this.fail(projectId, error, context);
      return;
    }
    await this.outcome.succeed(running);
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
          signal: AbortSignal.any([stop, progress.projectGone]),
          onProgress: (percent) => progress.report(percent),
          admit: this.quota.filling(project),
        },
      );
    } finally {
      await progress.end();
    }
  }

  /** Ends the import, or lets the queue try again what may pass by itself. */
  private async fail(projectId: number, error: unknown, context: JobContext): Promise<void> {
    const { attempt, signal } = context;
    if (signal.aborted && !(signal.reason instanceof JobTimeLimitError)) throw error;
    const passes = mayPass(error) && !signal.aborted;
    if (passes && attempt < IMPORT_ATTEMPTS) throw error;
    const failure = signal.aborted ? TOO_LONG : failureOf(error);
    this.logger.warn(`The import of project ${String(projectId)} has failed: ${failure}`);
    await this.outcome.fail(projectId, failure);
  }
}

function mayPass(error: unknown): boolean {
  if (error instanceof HostUnknownError) return error.temporary;
  if (error instanceof RemoteError) return error.passes;
  if (isStorageLimit(error)) return false;
  return !FINAL.some((kind) => error instanceof kind);
}

/** Only texts of the service's own are kept: others may repeat what was secret. */
function failureOf(error: unknown): string {
  if (isStorageLimit(error)) return error.detail.text;
  const isOwn =
    error instanceof RemoteError ||
    error instanceof ImportTooLargeError ||
    error instanceof HostRefusedError ||
    error instanceof HostUnknownError;
  return isOwn ? error.message : 'The service failed';
}
