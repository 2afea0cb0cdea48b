import type { ProjectImportsRepository } from './project-imports.repository.js';

/** Writing down every per cent would be more work than it is worth; milliseconds. */
const INTERVAL_MS = 2_000;

/** Nobody waits for the import any more. */
export class ProjectGoneError extends Error {
  override readonly name = 'ProjectGoneError';
}

/** Writes down how far an import is, and notices when nobody waits for it any more. */
export class ImportProgress {
  private readonly gone = new AbortController();
  private percent = 0;
  private readonly timer: NodeJS.Timeout;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly imports: ProjectImportsRepository,
    private readonly projectId: number,
  ) {
    this.timer = setInterval(() => {
      this.writing = this.write();
    }, INTERVAL_MS);
    this.timer.unref();
  }

  /** Aborted when the project was deleted. */
  get projectGone(): AbortSignal {
    return this.gone.signal;
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
      const goesOn = await this.imports.advance(this.projectId, this.percent);
      if (!goesOn) this.gone.abort(new ProjectGoneError('The project was deleted'));
    } catch {
      // The next number comes soon; an import does not fail for want of one.
    }
  }
}
