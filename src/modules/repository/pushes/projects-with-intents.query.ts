import type { Statements } from '../../../platform/database/index.js';

/** Lists the projects that have intents of pushes, under way or interrupted. */
export async function findProjectsWithIntents(statements: Statements): Promise<number[]> {
  const rows = await statements.rows<{ projectId: number }>(
    'SELECT DISTINCT project_id AS "projectId" FROM push_intents',
  );
  return rows.map(({ projectId }) => projectId);
}
