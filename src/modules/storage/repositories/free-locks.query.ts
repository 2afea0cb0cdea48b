import type { Statements } from '../../../platform/database/index.js';

/** First key of the advisory locks of repositories; the second one is the project's ID. */
export const REPOSITORY_LOCK = 7_265_002;

/** Counts those of some projects whose push lock no transaction holds. */
export async function countFreeLocks(
  statements: Statements,
  projectIds: readonly number[],
): Promise<number> {
  const [row] = await statements.rows<{ count: number }>(
    `SELECT count(*)::int AS count FROM unnest($2::int[]) AS project (id)
      WHERE NOT EXISTS (
        SELECT FROM pg_locks
         WHERE locktype = 'advisory' AND granted AND objsubid = 2
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
           AND classid = $1::int::oid AND objid = project.id::oid)`,
    [REPOSITORY_LOCK, projectIds],
  );
  return row?.count ?? 0;
}
