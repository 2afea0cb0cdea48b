import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { dataSourceOptions, migrations } from '../../ormconfig.js';
import { type MigrationListener, observeMigrations } from '../platform/database/index.js';
import { migrateQueue } from '../platform/queue/index.js';

/** Any number, the same in every process: the key of the lock that lets one migrate at a time. */
const MIGRATION_LOCK = 7_265_000;
/** Between two notices of one migration's progress. */
const NOTIFY_EVERY_MS = 5_000;

/**
 * Applies pending migrations; processes that start together wait for each other.
 * @param listener is notified when a migration begins, and how far it is
 */
export function migrate(databaseUrl: string, listener?: MigrationListener): Promise<void> {
  return connected(databaseUrl, async (dataSource) => {
    if (listener !== undefined) observeMigrations(dataSource, listener);
    const lock = dataSource.createQueryRunner();
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    try {
      await dataSource.runMigrations();
      await migrateQueue(databaseUrl);
    } finally {
      await lock.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
      await lock.release();
    }
  });
}

/** Notifies of each migration that begins and, every few seconds, of how far it is. */
export function atIntervals(
  listener: MigrationListener,
  everyMs = NOTIFY_EVERY_MS,
): MigrationListener {
  let notifiedAt = 0;
  return (progress) => {
    if (progress.done !== undefined && Date.now() - notifiedAt < everyMs) return;
    notifiedAt = Date.now();
    listener(progress);
  };
}

/** Logs each migration that begins and, every few seconds, how far it is. */
export function logMigrations(logger: Logger, everyMs = NOTIFY_EVERY_MS): MigrationListener {
  return atIntervals(({ migration, done, total }) => {
    if (done === undefined) logger.info({ migration }, 'A migration begins');
    else logger.info({ migration, done, total }, 'A migration goes on');
  }, everyMs);
}

/** The names of the migrations of this program. */
export const knownMigrations = (): string[] => migrations.map(({ name }) => name);

/** Applies these migrations only, to an empty database. */
export function migrateTo(databaseUrl: string, names: readonly string[]): Promise<void> {
  const chosen = migrations.filter(({ name }) => names.includes(name));
  const apply = async (dataSource: DataSource): Promise<void> => {
    await dataSource.runMigrations();
  };
  return connected(databaseUrl, apply, chosen);
}

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

/** @returns the names of the migrations that are still to be applied, in their order */
export function pendingMigrations(databaseUrl: string): Promise<string[]> {
  return connected(databaseUrl, async (dataSource) => {
    // Not by TypeORM, which creates the table of migrations where it is missing: two processes that do so at once would collide.
    const [table] = await dataSource.query<[{ isMissing: boolean }]>(
      `SELECT to_regclass('migrations') IS NULL AS "isMissing"`,
    );
    const applied = table.isMissing
      ? []
      : await dataSource.query<{ name: string }[]>('SELECT name FROM migrations');
    const names = new Set(applied.map(({ name }) => name));
    return dataSource.migrations
      .map((migration) => migration.name ?? migration.constructor.name)
      .filter((name) => !names.has(name))
      .sort(byTimestamp);
  });
}

/** Names of migrations end with their timestamps, which have 13 digits. */
const byTimestamp = (one: string, other: string): number =>
  one.slice(-13).localeCompare(other.slice(-13));

async function connected<T>(
  databaseUrl: string,
  work: (dataSource: DataSource) => Promise<T>,
  chosen: typeof migrations = migrations,
): Promise<T> {
  const settings = { url: databaseUrl, poolSize: 2, statementTimeoutMs: 0 };
  const options = { ...dataSourceOptions(settings), migrations: chosen };
  const dataSource = await new DataSource(options).initialize();
  try {
    return await work(dataSource);
  } finally {
    await dataSource.destroy();
  }
}
