import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { ErasesAccountData } from '../../users/index.js';

/** Rows that one step of erasing an account removes. */
const CHUNK = 500;

@Injectable()
export class StarsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Adds a star. The account's row stays locked, so that no star is added after the erasure of the account.
   * @returns false when the star exists already
   */
  async add(projectId: number, userId: number): Promise<boolean> {
    const rows = await this.database.rows(
      `INSERT INTO project_stars (project_id, user_id)
       SELECT $1, id FROM users WHERE id = $2 AND deleted_at IS NULL FOR SHARE
       ON CONFLICT DO NOTHING RETURNING project_id`,
      [projectId, userId],
    );
    return rows.length > 0;
  }

  /** Removes a star. @returns false when there is none */
  async remove(projectId: number, userId: number): Promise<boolean> {
    const rows = await this.database.rows(
      'DELETE FROM project_stars WHERE project_id = $1 AND user_id = $2 RETURNING project_id',
      [projectId, userId],
    );
    return rows.length > 0;
  }

  /** Updates the number of stars. @returns false when the project is deleted */
  async changeCount(projectId: number, change: 1 | -1): Promise<boolean> {
    const rows = await this.database.rows(
      `UPDATE projects SET star_count = star_count + $2
        WHERE id = $1 AND deleted_at IS NULL RETURNING id`,
      [projectId, change],
    );
    return rows.length > 0;
  }

  /** Removes some stars of a deleted account. @returns whether there may be more */
  @ErasesAccountData()
  async removeSomeOf(userId: number): Promise<boolean> {
    const rows = await this.database.rows<{ projectId: number }>(
      `DELETE FROM project_stars WHERE user_id = $1 AND project_id IN (
         SELECT project_id FROM project_stars WHERE user_id = $1 ORDER BY project_id LIMIT $2)
       RETURNING project_id AS "projectId"`,
      [userId, CHUNK],
    );
    await this.database.rows(
      'UPDATE projects SET star_count = star_count - 1 WHERE id = ANY($1::int[])',
      [rows.map(({ projectId }) => projectId)],
    );
    return rows.length === CHUNK;
  }
}
