import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import { Level, projectLevels, type Subject } from '../access/index.js';

/** Counts the open issues of projects, as far as a reader may know of them (open points 5.2). */
@Injectable()
export class OpenIssues {
  constructor(private readonly database: Database) {}

  /** By project ID; projects that never had an issue are not there. */
  async of(ids: readonly number[], reader: Subject): Promise<ReadonlyMap<number, number>> {
    const rows = await this.database.rows<{ projectId: number; open: number }>(COUNT, [
      ids,
      reader?.admin === true,
      reader?.id ?? null,
    ]);
    return new Map(rows.map(({ projectId, open }) => [projectId, open]));
  }
}

const COUNT = `
  WITH insider AS MATERIALIZED (
    SELECT levels.project_id FROM (${projectLevels('$3')}) levels
     WHERE levels.access_level >= ${String(Level.REPORTER)})
  SELECT c.project_id AS "projectId",
         CASE WHEN c.opened_confidential = 0 OR $2 OR c.project_id IN (SELECT project_id FROM insider)
              THEN c.opened
              ELSE c.opened - c.opened_confidential + (
                SELECT count(*)::int FROM issues i
                 WHERE i.project_id = c.project_id AND i.confidential AND i.deleted_at IS NULL
                   AND i.state = 'opened' AND (i.author_id = $3 OR i.assignee_id = $3))
         END AS open
    FROM issue_counts c WHERE c.project_id = ANY($1::int[])`;
