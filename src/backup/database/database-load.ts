import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { BackupError } from '../errors.js';
import type { Manifest, TableManifest } from '../manifest.js';
import { connect, copied, type Table, TABLES } from './connection.js';

const FOREIGN_KEYS = `
  SELECT conrelid::regclass::text AS "table", quote_ident(conname) AS name,
         pg_get_constraintdef(oid) AS definition
    FROM pg_constraint
   WHERE contype = 'f' AND connamespace = current_schema()::regnamespace
   ORDER BY conname`;

/** Everything of the service's schema but extensions, which the role may not own. */
const OWN_OBJECTS = `
  SELECT format('DROP TABLE %s CASCADE', c.oid::regclass) AS statement FROM pg_class c
   WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
     AND NOT c.relispartition
  UNION ALL
  SELECT format('DROP FUNCTION %s CASCADE', p.oid::regprocedure) FROM pg_proc p
   WHERE p.pronamespace = current_schema()::regnamespace AND NOT EXISTS (
     SELECT FROM pg_depend d
      WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')`;

/** Of the job queues when they are in PostgreSQL. The outbox has the jobs. */
const QUEUE_SCHEMA = 'bullmq';

interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

/** Whether a database has any tables in the schema of the service. */
export async function hasTables(client: pg.Client): Promise<boolean> {
  return (await client.query(`${TABLES} LIMIT 1`)).rows.length > 0;
}

/** Whether a database has any of these migrations. */
export async function hasMigrations(client: pg.Client, names: readonly string[]): Promise<boolean> {
  const { rows: tables } = await client.query(`SELECT WHERE to_regclass('migrations') IS NOT NULL`);
  if (tables.length === 0) return false;
  const { rows } = await client.query(`SELECT to_jsonb(m) ->> 'name' AS name FROM migrations m`);
  return (rows as { name: string | null }[]).some(
    ({ name }) => name !== null && names.includes(name),
  );
}

/** How many other sessions use the database. */
export async function countOtherSessions(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()
        AND backend_type = 'client backend'`,
  );
  return rows[0]?.count ?? 0;
}

/** Removes everything that the service has in a database. */
export async function clearDatabase(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(OWN_OBJECTS);
  const statements = [
    `DROP SCHEMA IF EXISTS ${QUEUE_SCHEMA} CASCADE`,
    ...rows.map(({ statement }) => statement),
  ];
  await client.query(`BEGIN; ${statements.join('; ')}; COMMIT`);
}

/**
 * Fills the tables of a migrated database in one transaction. Foreign keys are dropped and added again, and triggers
 * disabled, which the owner of the tables may do: tables come in any order, and counters are restored, not counted.
 */
export class DatabaseLoad {
  private readonly loaded = new Set<string>();

  private constructor(
    private readonly client: pg.Client,
    private readonly manifest: Manifest,
    private readonly foreignKeys: readonly ForeignKey[],
  ) {}

  /** @throws BackupError when the tables of the database differ from those of the backup */
  static async begin(databaseUrl: string, manifest: Manifest): Promise<DatabaseLoad> {
    const client = await connect(databaseUrl);
    try {
      const { rows: tables } = await client.query<Table>(TABLES);
      requireSameTables(tables, manifest.tables);
      const { rows: foreignKeys } = await client.query<ForeignKey>(FOREIGN_KEYS);
      await client.query('BEGIN');
      for (const { table, name } of foreignKeys) {
        await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
      }
      const names = tables.map(({ name }) => pg.escapeIdentifier(name));
      for (const name of names) await client.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`);
      // Migrations have inserted rows.
      await client.query(`TRUNCATE ${names.join(', ')}`);
      return new DatabaseLoad(client, manifest, foreignKeys);
    } catch (error) {
      await client.end();
      throw error;
    }
  }

  /** Loads the rows of a table from a compressed copy. */
  async loadTable(name: string, content: Readable): Promise<void> {
    const table = this.manifest.tables.find((candidate) => candidate.name === name);
    if (table === undefined) throw new BackupError(`The manifest has no table ${name}.`);
    const copy = this.client.query(copyFrom(`COPY ${copied(table)} FROM STDIN`));
    await pipeline(content, createGunzip(), copy);
    if (copy.rowCount !== table.rows) {
      throw new BackupError(
        `${name} has ${copy.rowCount} rows in the backup, and ${table.rows} in its manifest.`,
      );
    }
    this.loaded.add(name);
  }

  /** Checks the foreign keys and commits. */
  async commit(): Promise<void> {
    const missing = this.manifest.tables.find(({ name }) => !this.loaded.has(name));
    if (missing !== undefined) throw new BackupError(`The backup lacks table ${missing.name}.`);
    for (const { name, lastValue } of this.manifest.sequences) {
      await this.client.query('SELECT setval(quote_ident($1)::regclass, $2::bigint)', [
        name,
        lastValue,
      ]);
    }
    for (const { table, name, definition } of this.foreignKeys) {
      await this.client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`);
    }
    for (const { name } of this.manifest.tables) {
      await this.client.query(`ALTER TABLE ${pg.escapeIdentifier(name)} ENABLE TRIGGER USER`);
    }
    await this.client.query('COMMIT');
  }

  /** Closes the connection; what is not committed is lost. */
  async close(): Promise<void> {
    await this.client.end();
  }
}

/**
 * Completes a restored database that has all migrations: no queue has its jobs, and PostgreSQL knows nothing yet of how its
 * values are distributed.
 */
export async function completeDatabase(databaseUrl: string): Promise<void> {
  const client = await connect(databaseUrl);
  try {
    // In a new round, so that a queue which still has a job of the same id does not take them for it.
    await client.query(
      `UPDATE outbox SET enqueued_at = NULL, round = round + 1
        WHERE enqueued_at IS NOT NULL AND failed_at IS NULL`,
    );
    await client.query('ANALYZE');
  } finally {
    await client.end();
  }
}

function requireSameTables(present: readonly Table[], wanted: readonly TableManifest[]): void {
  const describe = ({ name, columns }: Table): string => `${name}(${[...columns].sort().join()})`;
  const own = present.map(describe);
  const theirs = wanted.map(describe);
  const differing = [
    ...own.filter((table) => !theirs.includes(table)),
    ...theirs.filter((table) => !own.includes(table)),
  ];
  if (differing.length === 0) return;
  throw new BackupError(
    `The tables of the backup are not those of its migrations: ${differing.join(', ')}`,
  );
}
