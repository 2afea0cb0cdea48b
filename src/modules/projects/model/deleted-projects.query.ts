import type { Statements } from '../../../platform/database/index.js';

/** Counts the deleted projects whose rows and files are still to be removed. */
export async function countDeletedProjects(statements: Statements): Promise<number> {
  const [row] = await statements.rows<{ count: number }>(
    'SELECT count(*)::int AS count FROM projects WHERE deleted_at IS NOT NULL',
  );
  return row?.count ?? 0;
}
