import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { FailoverClient } from '../platform/database/connections/index.js';

const FOLDER = path.join(import.meta.dirname, '../platform/database/migrations');
const FILE = /^(\d{13})-([a-z0-9-]+)\.[jt]s$/;

/** The database is older than the code. */
export class PendingMigrationsError extends Error {
  override readonly name = 'PendingMigrationsError';

  constructor() {
    super(
      'The database is older than this program: run `trellis migrate` first (in a clone: `npm run migrate`).',
    );
  }
}

/** @throws PendingMigrationsError unless the database is as new as the code */
export async function requireMigrated(databaseUrl: string): Promise<void> {
  const pending = await pendingMigrations(databaseUrl);
  if (pending.length > 0) throw new PendingMigrationsError();
}

/**
 * The names of the migrations of this program, in their order, by their files: loading them with all entities takes longer than
 * most commands.
 */
export async function migrationNames(): Promise<string[]> {
  const files = (await readdir(FOLDER)).sort();
  return files.flatMap((file) => {
    const [, timestamp, words] = FILE.exec(file) ?? [];
    return timestamp === undefined || words === undefined ? [] : [inPascalCase(words) + timestamp];
  });
}

const inPascalCase = (words: string): string =>
  words
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

/**
 * @param limitMs of the connection and of each statement
 * @returns the names of the migrations that are still to be applied, in their order
 */
export async function pendingMigrations(databaseUrl: string, limitMs?: number): Promise<string[]> {
  const client = new FailoverClient({
    connectionString: databaseUrl,
    application_name: 'trellis',
    ...(limitMs !== undefined && { connectionTimeoutMillis: limitMs, query_timeout: limitMs }),
  });
  await client.connect();
  try {
    // Not by TypeORM, which creates the table of migrations where it is missing: two processes that do so at once would collide.
    const { rows: tables } = await client.query<{ isMissing: boolean }>(
      `SELECT to_regclass('migrations') IS NULL AS "isMissing"`,
    );
    const { rows: applied } = tables[0]?.isMissing
      ? { rows: [] }
      : await client.query<{ name: string }>('SELECT name FROM migrations');
    const names = new Set(applied.map(({ name }) => name));
    return (await migrationNames()).filter((name) => !names.has(name));
  } finally {
    await client.end();
  }
}
