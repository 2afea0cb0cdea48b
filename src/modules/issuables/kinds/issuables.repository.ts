import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import type { NumberedKind } from './internal-id.entity.js';
import type { Issuable } from './issuable.js';

/**
 * Takes the next numbers of projects, as a statement or part of one that returns them as `iid`.
 * @param source a query of a project's ID and a kind
 */
export const nextNumber = (source: string): string => `
  INSERT INTO internal_ids (project_id, kind, last_iid)
  SELECT numbered.*, 1 FROM (${source}) AS numbered
  ON CONFLICT (project_id, kind) DO UPDATE SET last_iid = internal_ids.last_iid + 1
  RETURNING last_iid AS iid`;

const NEXT_NUMBER = nextNumber('SELECT $1::int, $2::varchar');

const DEPENDENT_ROWS = [
  'DELETE FROM todos WHERE target_type = $1 AND target_id = $2',
  'DELETE FROM subscriptions WHERE target_type = $1 AND target_id = $2',
  'DELETE FROM label_links WHERE target_type = $1 AND target_id = $2',
  'DELETE FROM award_emoji WHERE awardable_type = $1 AND awardable_id = $2',
];

/** Numbers issuables, and removes the rows that depend on deleted ones. */
@Injectable()
export class IssuablesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Takes the next number of a kind: without gaps and never the same twice (docs/reference/issues.md#numbers). Others
   * of the same kind in the same project wait until the unit of work ends, so take it as late as possible.
   */
  async takeNumber(projectId: number, kind: NumberedKind): Promise<number> {
    const [row] = await this.database.rows<{ iid: number }>(NEXT_NUMBER, [projectId, kind]);
    if (row === undefined) throw new Error('PostgreSQL returned no number');
    return row.iid;
  }

  /**
   * Removes the todos, subscriptions, label links and awards of an issue or merge request that is deleted. Its notes
   * and events stay (docs/reference/issues.md#delete-projectsidissuesissue_id).
   */
  async removeDependentRows({ type, id }: Pick<Issuable, 'type' | 'id'>): Promise<void> {
    for (const statement of DEPENDENT_ROWS) await this.database.rows(statement, [type, id]);
  }
}
