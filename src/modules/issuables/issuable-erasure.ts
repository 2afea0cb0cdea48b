import type { Database } from '../../platform/database/index.js';
import { ErasesAccountData } from '../users/index.js';
import type { IssuableKind } from './issuable.js';

const CHUNK = 1_000;

/**
 * Erases accounts from issues or merge requests: what an account wrote or changed becomes the ghost's, what
 * it was assigned to nobody's. It waits for transactions that hold a row.
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

  /** Puts another account, or nobody, into a column of some rows. @returns whether there may be more */
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
