import type { INestApplicationContext } from '@nestjs/common';
import { violatedUnique } from '../../../platform/database/index.js';
import { refusalText } from '../refusal-text.js';
import type { ImportReport, ImportedKind } from './import-report.js';
import { MalformedRecordError, type RemoteRecord } from './remote-record.js';
import { type RemoteServer, RemoteServerError } from './remote-server.js';
import type { UserFinder } from './user-finder.js';

export interface RemoteProject {
  readonly id: number;
  /** `namespace/project`. */
  readonly path: string;
  readonly record: RemoteRecord;
}

/** What the contents of all projects need. */
export interface ProjectImporterContext {
  readonly app: INestApplicationContext;
  readonly server: RemoteServer;
  readonly users: UserFinder;
  readonly report: ImportReport;
  /** IDs of projects there and here. */
  readonly localIds: ReadonlyMap<number, number>;
}

/** The lists of a project on another server, and the report on what of them is left out. */
export class ProjectRecords {
  private readonly base: string;

  constructor(
    private readonly server: RemoteServer,
    private readonly report: ImportReport,
    private readonly remote: RemoteProject,
  ) {
    this.base = `/projects/${String(remote.id)}`;
  }

  /** Takes over each record of a list. Those that are malformed or refused are reported and left out. */
  async each(
    what: string,
    path: string,
    add: (record: RemoteRecord) => Promise<void>,
    query: Record<string, string> = {},
  ): Promise<void> {
    for await (const record of this.list(path, what, query)) {
      await this.addOne(what, record, add);
    }
  }

  /** As `each`, for short lists that begin with the newest one. */
  async eachOldestFirst(
    what: string,
    path: string,
    add: (record: RemoteRecord) => Promise<void>,
  ): Promise<void> {
    const records: RemoteRecord[] = [];
    for await (const record of this.list(path, what)) records.push(record);
    for (const record of records.reverse()) await this.addOne(what, record, add);
  }

  private async addOne(
    what: string,
    record: RemoteRecord,
    add: (record: RemoteRecord) => Promise<void>,
  ): Promise<void> {
    try {
      await add(record);
    } catch (error) {
      const reason = refusalOf(error);
      if (reason === null) throw error;
      const number = record.level('iid', 0);
      this.problem(number === 0 ? what : `${what} ${String(number)}`, reason);
    }
  }

  /**
   * Lists records. What the owner of the token may not read is reported.
   * @param path below that of the project
   * @param what null if its absence is no problem
   */
  async *list(
    path: string,
    what: string | null,
    query: Record<string, string> = {},
  ): AsyncGenerator<RemoteRecord> {
    try {
      yield* this.server.list(this.base + path, query);
    } catch (error) {
      if (!(error instanceof RemoteServerError) || ![403, 404].includes(error.status ?? 0))
        throw error;
      if (what !== null) this.problem(what, 'the token may not read them');
    }
  }

  /** Counts what is there, also where an earlier run has brought it. */
  count(kind: ImportedKind, count = 1): void {
    this.report.add(this.remote.path, kind, count);
  }

  /** Reports that something is left out. @param what empty for the project as a whole */
  problem(what: string, reason: string): void {
    const separator = what === '' || /^[#!]/.test(what) ? '' : ' ';
    this.report.problem(`${this.remote.path}${separator}${what}`, reason);
  }
}

/** Returns why a record is left out; null if the import has to end. */
function refusalOf(error: unknown): string | null {
  if (error instanceof MalformedRecordError) return error.message;
  if (violatedUnique(error) !== undefined)
    return 'there is another one of the same name or branches';
  return refusalText(error);
}
