import type { DataSource } from 'typeorm';
import { Batches } from '../../async/index.js';

/** A position in the log of changes (WAL). Those of different timelines are not comparable. */
export interface Position {
  readonly timeline: number;
  /** In bytes. */
  readonly lsn: bigint;
}

interface PositionRow {
  readonly lsn: string;
  /** The segment of the log that has the position. Its name begins with the timeline, in eight hexadecimal digits. */
  readonly file: string;
  /** What is visible to new transactions. */
  readonly snapshot: string;
}

/**
 * What is visible has been flushed, unless commits do not wait for that. The snapshot of the statement is taken before
 * the position is read.
 */
const FIND_POSITION = `
  SELECT pg_current_snapshot()::text AS snapshot,
         at.lsn::text, pg_walfile_name(at.lsn) AS file
    FROM (SELECT CASE current_setting($1)
                   WHEN 'off' THEN pg_current_wal_insert_lsn()
                   ELSE pg_current_wal_flush_lsn() END AS lsn OFFSET 0) AS at`;
/** A parameter, so that the statement is prepared. */
const PARAMETERS = ['synchronous_commit'];

/** Identifies a database, also on standbys: the cluster, and the database within it. */
export const IDENTITY = `
  (SELECT system_identifier FROM pg_control_system()) || '/' ||
  (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** Converts a position as PostgreSQL writes it: `16/B374D848`. */
export function parseLsn(text: string): bigint {
  const [high = '', low = ''] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}

/** Asks the primary how far a standby has to be for a read that begins now. */
export class PrimaryPosition {
  /** A position, and what was visible there. */
  private last: { readonly snapshot: string; readonly position: Position } | undefined;
  private identifying: Promise<string> | undefined;

  // Requests that arrive together share one statement, which begins after all of them.
  private readonly asked = new Batches<null, Position>({
    key: () => 0,
    answer: async () => [await this.read()],
  });

  constructor(private readonly dataSource: DataSource) {}

  /** Returns a position up to which the log has all that is visible now. */
  find(): Promise<Position> {
    return this.asked.ask(null);
  }

  /** Returns what identifies the database. */
  identity(): Promise<string> {
    this.identifying ??= this.dataSource
      .query<[{ identity: string }]>(`SELECT ${IDENTITY} AS identity`)
      .then(([{ identity }]) => identity)
      .catch((error: unknown) => {
        this.identifying = undefined;
        throw error;
      });
    return this.identifying;
  }

  private async read(): Promise<Position> {
    const [row] = await this.dataSource.query<[PositionRow]>(FIND_POSITION, PARAMETERS);
    const { snapshot } = row;
    const timeline = parseInt(row.file.slice(0, 8), 16);
    // The log also grows by what changes nothing visible: vacuum, checkpoints, transactions that are under way.
    const { last } = this;
    if (last?.snapshot === snapshot && last.position.timeline === timeline) return last.position;
    const position = { timeline, lsn: parseLsn(row.lsn) };
    this.last = { snapshot, position };
    return position;
  }
}
