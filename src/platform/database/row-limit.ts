import type { Database } from './database.js';

/** What rows of a table belong to. */
interface RowOwner {
  /** A table and its column for the owner, as SQL. */
  readonly table: string;
  readonly column: string;
  readonly ownerId: number;
}

/**
 * Whether an owner has fewer rows than a limit, in the caller's unit of work. Others who ask for the same
 * owner and table wait until it ends, so that concurrent additions do not exceed the limit.
 */
export async function hasRoomForRow(
  database: Database,
  { table, column, ownerId }: RowOwner,
  limit: number,
): Promise<boolean> {
  await database.rows('SELECT pg_advisory_xact_lock(hashtext($1), $2)', [table, ownerId]);
  const [row] = await database.rows<{ count: number }>(
    `SELECT count(*)::int AS count
       FROM (SELECT 1 FROM ${table} WHERE ${column} = $1 LIMIT ${String(limit)}) AS bounded`,
    [ownerId],
  );
  return (row?.count ?? 0) < limit;
}
