import type pg from 'pg';
import type { Config } from '../../platform/config/index.js';
import { PooledStatements, type Statements } from '../../platform/database/connections/index.js';
import { pendingMigrations } from '../../bootstrap/pending-migrations.js';
import { runningUrl } from '../open.js';
import { openConnection } from './connection.js';
import { PROBE_LIMIT_MS, withinLimit } from './time-limit.js';

/** What a server of PostgreSQL and the database on it say about themselves. */
export interface DatabaseReport {
  readonly version: string;
  readonly encoding: string;
  readonly clock: Date;
  readonly maxConnections: number;
  readonly hasTrigrams: boolean;
  /** Whether a pooler stands in between: the process that serves the connection is not the one that was announced. */
  readonly isPooled: boolean;
  /** Names, in their order. */
  readonly pendingMigrations: readonly string[];
}

const DESCRIBE = `
  SELECT current_setting('server_version') AS version,
         current_setting('server_encoding') AS encoding,
         clock_timestamp() AS clock,
         current_setting('max_connections')::int
           - current_setting('superuser_reserved_connections')::int AS "maxConnections",
         EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm') AS "hasTrigrams",
         pg_backend_pid() <> $1 AS "isPooled"`;

/**
 * Finds the address of the database: the configured one, or that of an embedded server that runs.
 * @returns undefined when the embedded server does not run
 */
export async function findDatabase(config: Config): Promise<string | undefined> {
  return config.database.url ?? (await runningUrl(config));
}

/** @throws Error when the server cannot be reached or does not answer within the time limit */
export async function probeDatabase(url: string): Promise<DatabaseReport> {
  const client = await openConnection(url);
  try {
    const { processID } = client as pg.Client & { processID: number };
    const { rows } = await client.query<Omit<DatabaseReport, 'pendingMigrations'>>(DESCRIBE, [
      processID,
    ]);
    const [report] = rows;
    if (report === undefined) throw new Error('no answer');
    return {
      ...report,
      pendingMigrations: await withinLimit(pendingMigrations(url, PROBE_LIMIT_MS)),
    };
  } finally {
    await withinLimit(client.end()).catch(() => undefined);
  }
}

/** Lends connections to the database, whose statements have the time limit of probes. */
export async function withReads<T>(
  url: string,
  work: (statements: Statements) => Promise<T>,
): Promise<T> {
  const statements = new PooledStatements(url, PROBE_LIMIT_MS);
  try {
    return await work(statements);
  } finally {
    await statements.close();
  }
}
