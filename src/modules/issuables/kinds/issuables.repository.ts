import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { ErasesAccountData } from '../../users/index.js';
import type { NumberedKind } from './internal-id.entity.js';
import type { Issuable, IssuableKind } from './issuable.js';

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

const CHUNK = 1_000;

/**
 * Erases accounts from issues or merge requests: the ghost account becomes the author and editor, and assignees are
 * removed. It waits for transactions that have locked a row.
 */
export abstract class IssuableErasure {
  protected constructor(
    private readonly database: Database,
    private readonly table: IssuableKind['table'],
  ) {}

  @ErasesAccountData()
  handOverAuthors(userId: number, ghostId: number): Promise<boolean> {
    return this.replace('author_id', userId, ghostId);
  }

  @ErasesAccountData()
  handOverEditors(userId: number, ghostId: number): Promise<boolean> {
    return this.replace('updated_by_id', userId, ghostId);
  }

  @ErasesAccountData()
  removeAssignees(userId: number): Promise<boolean> {
    return this.replace('assignee_id', userId, null);
  }

  /** Sets a column of some rows to another account or null. @returns whether there may be more rows */
  protected async replace(column: string, userId: number, other: number | null): Promise<boolean> {
    const changed = await this.database.rows(
      `UPDATE ${this.table} SET ${column} = $2
        WHERE id IN (SELECT id FROM ${this.table} WHERE ${column} = $1 LIMIT $3 FOR NO KEY UPDATE)
       RETURNING id`,
      [userId, other, CHUNK],
    );
    return changed.length === CHUNK;
  }
}
