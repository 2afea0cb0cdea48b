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
