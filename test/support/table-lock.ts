import type { QueryRunner } from 'typeorm';
import type { ServiceProcess } from './service-process.js';
import type { Trellis } from './trellis.js';
import { until } from './until.js';

interface Queried {
  rows<Row>(sql: string): Promise<Row[]>;
}

/** Does some work while no other session can write to a table. */
export async function whileLocked<T>(
  trellis: Trellis,
  table: string,
  work: () => Promise<T>,
): Promise<T> {
  const runner = trellis.dataSource.createQueryRunner();
  await runner.startTransaction();
  try {
    await runner.query(`LOCK TABLE ${table} IN SHARE MODE`);
    return await work();
  } finally {
    await runner.rollbackTransaction();
    await runner.release();
  }
}

/** Connections that wait for a lock on a table. */
export function waitingFor(trellis: Trellis, table: string): Promise<{ pid: number }[]> {
  return trellis.rows<{ pid: number }>(
    'SELECT pid FROM pg_locks WHERE relation = $1::regclass AND NOT granted',
    [table],
  );
}

/** Kills a service as soon as it waits to write to a table that is locked. */
export async function killWhenItWritesTo(
  trellis: Trellis,
  table: string,
  service: ServiceProcess,
): Promise<void> {
  await until(async () => (await waitingFor(trellis, table)).length > 0);
  await service.kill('SIGKILL');
  // PostgreSQL would notice only when it answers, and would carry out the statement before.
  await until(async () => {
    const waiting = await waitingFor(trellis, table);
    for (const { pid } of waiting) await trellis.rows('SELECT pg_terminate_backend($1)', [pid]);
    return waiting.length === 0;
  });
}

/**
 * Sends requests at once, and lets none write to a table before all have come to that, or wait for a lock on the way.
 * @param requests of supertest, which sends them when they are awaited
 */
export async function meetBeforeWriting<T>(
  trellis: Trellis,
  table: string,
  requests: readonly PromiseLike<T>[],
): Promise<T[]> {
  const { answers } = await whileLocked(trellis, table, async () => {
    const sent = Promise.all(requests);
    await until(async () => (await countLockWaits(trellis)) >= requests.length);
    return { answers: sent };
  });
  return answers;
}

/** Resolves when a connection waits for what a transaction of the test holds. */
export async function untilWaitedFor(trellis: Trellis, transaction: QueryRunner): Promise<void> {
  const [own] = (await transaction.query('SELECT pg_backend_pid() AS pid')) as [{ pid: number }];
  await until(async () => {
    const waiting = await trellis.rows(
      'SELECT FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))',
      [own.pid],
    );
    return waiting.length > 0;
  });
}

/** How many connections to a database wait for a lock of any kind. */
export async function countLockWaits(database: Queried): Promise<number> {
  const [row] = await database.rows<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return row?.count ?? 0;
}
