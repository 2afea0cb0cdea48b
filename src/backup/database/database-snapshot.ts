import type { Readable } from 'node:stream';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { BackupError } from '../errors.js';
import type { SequenceManifest } from '../manifest.js';
import { connect, copied, type Table, TABLES } from './connection.js';

const SEQUENCES = `
  SELECT sequencename AS name, last_value::text AS "lastValue" FROM pg_sequences
   WHERE schemaname = current_schema() AND last_value IS NOT NULL ORDER BY sequencename`;

/** The state of the database at one moment, while the service goes on. */
export class DatabaseSnapshot {
  private constructor(
    private readonly client: pg.Client,
    readonly takenAt: Date,
    readonly tables: readonly Table[],
  ) {}

  static async take(databaseUrl: string): Promise<DatabaseSnapshot> {
    const client = await connect(databaseUrl);
    try {
      const names = await tableNames(client);
      if (names.length === 0) throw new BackupError('The database has no tables yet.');
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      // A migration would change tables between the snapshot, which the first statement that reads takes, and their copy.
      await client.query(`LOCK TABLE ${names.join(', ')} IN ACCESS SHARE MODE`);
      const { rows } = await client.query<{ takenAt: Date }>(
        'SELECT clock_timestamp() AS "takenAt"',
      );
      const { rows: tables } = await client.query<Table>(TABLES);
      return new DatabaseSnapshot(client, rows[0]?.takenAt ?? new Date(), tables);
    } catch (error) {
      await client.end();
      throw error;
    }
  }

  async rows<Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.client.query<Row>(sql, values)).rows;
  }

  /** The names of the applied migrations, in their order. */
  async migrations(): Promise<string[]> {
    const rows = await this.rows<{ name: string }>(
      'SELECT name FROM migrations ORDER BY timestamp, id',
    );
    return rows.map(({ name }) => name);
  }

  /** The last numbers of all sequences, which are not part of the snapshot: at least those of its rows. */
  sequences(): Promise<SequenceManifest[]> {
    return this.rows(SEQUENCES);
  }

  /**
   * Copies the rows of a table in PostgreSQL's text format.
   * @param write receives the copy, and reads all of it
   * @returns the number of rows
   */
  async copyTable(table: Table, write: (rows: Readable) => Promise<void>): Promise<number> {
    const copy = this.client.query(copyTo(`COPY ${copied(table)} TO STDOUT`));
    try {
      await write(copy);
    } finally {
      copy.destroy();
    }
    return copy.rowCount;
  }

  async close(): Promise<void> {
    await this.client.end();
  }
}

async function tableNames(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<Table>(TABLES);
  return rows.map(({ name }) => pg.escapeIdentifier(name));
}
