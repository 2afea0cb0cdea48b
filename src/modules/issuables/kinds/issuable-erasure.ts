import type { Database } from '../../../platform/database/index.js';
import { ErasesAccountData } from '../../users/index.js';
import type { IssuableKind } from './issuable.js';

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
