import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../ormconfig.js';
import { migrateQueue } from '../platform/queue/index.js';

/** Any number, the same in every process: the key of the lock that lets one migrate at a time. */
const MIGRATION_LOCK = 7_265_000;

/** Applies pending migrations; processes that start together wait for each other. */
export function migrate(databaseUrl: string): Promise<void> {
  return connected(databaseUrl, async (dataSource) => {
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

/** Whether the database is as new as the code. */
export function isMigrated(databaseUrl: string): Promise<boolean> {
  return connected(databaseUrl, async (dataSource) => {
    // TypeORM creates the table of migrations where it is missing; two processes that do so at once would collide.
    const [table] = await dataSource.query<[{ isMissing: boolean }]>(
      `SELECT to_regclass('migrations') IS NULL AS "isMissing"`,
    );
    return !table.isMissing && !(await dataSource.showMigrations());
  });
}

async function connected<T>(
  databaseUrl: string,
  work: (dataSource: DataSource) => Promise<T>,
): Promise<T> {
  const settings = { url: databaseUrl, poolSize: 2, statementTimeoutMs: 0 };
  const dataSource = await new DataSource(dataSourceOptions(settings)).initialize();
  try {
    return await work(dataSource);
  } finally {
    await dataSource.destroy();
  }
}
