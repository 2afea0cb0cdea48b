import type { Trellis } from './trellis.js';

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
