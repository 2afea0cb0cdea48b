import type { ImportsRepository } from './imports.repository.js';

/** The progress is written at most this often. */
const INTERVAL_MS = 2_000;

/** The project was deleted during the import. */
export class ProjectDeletedError extends Error {
  override readonly name = 'ProjectDeletedError';
}

/** Writes the progress of an import, and notices when the project is deleted. */
export class ImportProgress {
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
    }, INTERVAL_MS);
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
