import { Injectable } from '@nestjs/common';
import { ImportTooLargeError, RemoteError, type Repository } from '../../../../git/index.js';
import { Config } from '../../../../platform/config/index.js';
import { UnitOfWork } from '../../../../platform/database/index.js';
import { DomainEvents } from '../../../../platform/events/index.js';
import { HostRefusedError, HostUnknownError } from '../../../../platform/net/index.js';
import { RepositoryImported } from '../../model/project.events.js';
import { ProjectsRepository } from '../../model/projects.repository.js';
import {
  isStorageLimit,
  ProjectStorage,
  PushLock,
  pushLimitsOf,
  storageLimitText,
  StorageQuota,
} from '../../../storage/index.js';
import { ImportsRepository, type RunningImport } from './imports.repository.js';

/** The progress is written at most this often. */
const PROGRESS_INTERVAL_MS = 2_000;

/** The project was deleted during the import. */
export class ProjectDeletedError extends Error {
  override readonly name = 'ProjectDeletedError';
}

/** A repository on another server, or in a folder of this machine. */
export type RepositorySource = Parameters<Repository['fetchFrom']>[0];

/** Fetches the repositories of imports within the limits of pushes, and records how they end. */
@Injectable()
export class ImportRunner {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly projects: ProjectsRepository,
    private readonly storage: ProjectStorage,
    private readonly quota: StorageQuota,
    private readonly pushLock: PushLock,
    private readonly work: UnitOfWork,
    private readonly events: DomainEvents,
    private readonly config: Config,
  ) {}

  /** @throws what `failureOf` describes; ProjectDeletedError if the project is deleted meanwhile */
  async fetch(
    { projectId, storage }: RunningImport,
    source: RepositorySource,
    stop?: AbortSignal,
  ): Promise<void> {
    const progress = new ImportProgress(this.imports, projectId);
    const project = { id: projectId, storage };
    const { projectDeleted } = progress;
    try {
      await this.storage.repository(project).fetchFrom(source, {
        ...pushLimitsOf(this.config),
        signal: stop === undefined ? projectDeleted : AbortSignal.any([stop, projectDeleted]),
        onProgress: (percent) => progress.report(percent),
        admit: this.quota.filling(project),
      });
    } finally {
      await progress.end();
    }
  }

  /** Records the success, once. Subscribers settle what they would after a first push. */
  finish({ projectId, userId }: RunningImport): Promise<void> {
    return this.pushLock.hold({ projectIds: [projectId], userId }, async () => {
      const isFirst = await this.imports.end(projectId, null);
      const isReady = await this.projects.markRepositoryReady(projectId, 'importing');
      if (isFirst && isReady) await this.events.publish(new RepositoryImported(projectId, userId));
    });
  }

  /** Records that the repository stays empty, and lets users push to it. */
  fail(projectId: number, failure: string): Promise<void> {
    return this.work.run(async () => {
      await this.imports.end(projectId, failure);
      await this.projects.markRepositoryReady(projectId, 'importing');
    });
  }
}

/** Returns the service's own texts only: others may contain secrets. */
export function failureOf(error: unknown): string {
  return expectedFailure(error) ?? 'The service failed';
}

/** Returns why an import has failed; null if the service is to blame. */
export function expectedFailure(error: unknown): string | null {
  if (isStorageLimit(error)) return storageLimitText(error.detail.sizes);
  const isExpected =
    error instanceof RemoteError ||
    error instanceof ImportTooLargeError ||
    error instanceof HostRefusedError ||
    error instanceof HostUnknownError;
  return isExpected ? error.message : null;
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
