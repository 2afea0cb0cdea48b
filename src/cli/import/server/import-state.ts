import { mkdir, open, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { CommandError } from '../../errors.js';
import { ImportReport, type StoredReport } from './import-report.js';

const VERSION = 1;

interface StoredState {
  readonly version: number;
  readonly source: string;
  readonly begun: readonly string[];
  readonly finishedProjects: readonly string[];
  readonly report: StoredReport;
}

/**
 * How far an import from another server is, in a file: the groups and projects that it has made, the projects that are
 * finished, and the report. What is within a project shows in the database, so that the file may be as old as the last
 * project that was made or finished.
 */
export class ServerImportState {
  private constructor(
    private readonly file: string,
    private readonly source: string,
    private readonly begun: Set<string>,
    private readonly finished: Set<string>,
    readonly report: ImportReport,
  ) {}

  /** For a run that changes nothing. */
  static fresh(file: string, source: string): ServerImportState {
    return new ServerImportState(file, source, new Set(), new Set(), new ImportReport());
  }

  /**
   * @param isResumed whether there may be a file
   * @throws CommandError if there is one otherwise, or it is of another server
   */
  static async open(file: string, source: string, isResumed: boolean): Promise<ServerImportState> {
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    });
    if (text === null) return ServerImportState.fresh(file, source);
    if (!isResumed) {
      throw new CommandError(
        `${file} has the progress of an import: --resume continues it, --state names another file.`,
      );
    }
    const stored = parse(text);
    if (stored?.version !== VERSION || stored.source !== source) {
      throw new CommandError(`${file} is not the progress of an import from ${source}.`);
    }
    const begun = new Set(stored.begun);
    const finished = new Set(stored.finishedProjects);
    return new ServerImportState(file, source, begun, finished, new ImportReport(stored.report));
  }

  /** Whether a group or project was made by this import, so that it may be filled. */
  hasBegun(path: string): boolean {
    return this.begun.has(path);
  }

  /** Records that a group or project is about to be made. */
  async begin(path: string): Promise<void> {
    this.begun.add(path);
    await this.save();
  }

  isFinished(project: string): boolean {
    return this.finished.has(project);
  }

  /** Records that a project is taken over as far as it can be. */
  async finish(project: string): Promise<void> {
    this.finished.add(project);
    await this.save();
  }

  /** Writes the file in one step. */
  async save(): Promise<void> {
    const state: StoredState = {
      version: VERSION,
      source: this.source,
      begun: [...this.begun],
      finishedProjects: [...this.finished],
      report: this.report.toJson(),
    };
    await mkdir(path.dirname(this.file), { recursive: true });
    const draft = `${this.file}.new`;
    const file = await open(draft, 'w', 0o600);
    try {
      await file.writeFile(JSON.stringify(state, undefined, 2));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, this.file);
  }
}

function parse(text: string): StoredState | null {
  try {
    return JSON.parse(text) as StoredState | null;
  } catch {
    return null;
  }
}
