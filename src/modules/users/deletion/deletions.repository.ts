import { Injectable } from '@nestjs/common';
import { Database, sqlState } from '../../../platform/database/index.js';
import { isLastOwner } from '../../access/index.js';
import { Administrators } from '../administrators.js';
import type { User } from '../user.entity.js';

const STILL_REFERENCED = '23503';

/** Some group that has no other owner; all groups of the account are locked by then. */
const OWNED_ALONE = `
  SELECT 1 FROM group_members own
   WHERE own.user_id = $1 AND ${isLastOwner('own')}
     AND EXISTS (SELECT 1 FROM namespaces n WHERE n.id = own.group_id AND n.deleted_at IS NULL)
   LIMIT 1`;

/** All groups of the account: in each of them somebody may be about to make it an owner. */
const LOCK_GROUPS = `
  SELECT id FROM namespaces
   WHERE id IN (SELECT group_id FROM group_members WHERE user_id = $1)
   ORDER BY id FOR NO KEY UPDATE`;

/** What deleting an account does to tables; those of upper rooms by SQL only. */
@Injectable()
export class DeletionsRepository {
  constructor(
    private readonly database: Database,
    private readonly administrators: Administrators,
  ) {}

  /**
   * Whether nobody would be left to administer, or to own a group. Two that depend on each other
   * cannot both leave at the same time.
   */
  async isIndispensable(user: User): Promise<boolean> {
    if (user.admin && !(await this.administrators.remainWithout(user))) return true;
    await this.database.rows(LOCK_GROUPS, [user.id]);
    return (await this.database.rows(OWNED_ALONE, [user.id])).length > 0;
  }

  /** Hides the account, which frees its name and address, and takes its ways in. */
  async hide(userId: number): Promise<void> {
    await this.database.rows('UPDATE users SET deleted_at = now() WHERE id = $1', [userId]);
    for (const table of ['ssh_keys', 'emails', 'identities']) {
      await this.database.rows(`DELETE FROM ${table} WHERE user_id = $1`, [userId]);
    }
  }

  /** Whether something is left of a deleted account. */
  async isHidden(userId: number): Promise<boolean> {
    const rows = await this.database.rows(
      'SELECT 1 FROM users WHERE id = $1 AND deleted_at IS NOT NULL',
      [userId],
    );
    return rows.length > 0;
  }

  /** Removes the last row of a deleted account; false while something still points at it. */
  async remove(userId: number): Promise<boolean> {
    try {
      await this.database.rows('DELETE FROM users WHERE id = $1 AND deleted_at IS NOT NULL', [
        userId,
      ]);
      return true;
    } catch (error) {
      if (sqlState(error) === STILL_REFERENCED) return false;
      throw error;
    }
  }
}
