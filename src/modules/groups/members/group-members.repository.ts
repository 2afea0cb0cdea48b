import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { isLastOwner } from '../../access/index.js';
import { UsersRepository } from '../../users/index.js';
import { MembersRepository } from './members.repository.js';

@Injectable()
export class GroupMembersRepository extends MembersRepository {
  constructor(database: Database, users: UsersRepository) {
    super(database, users, { name: 'group_members', parent: 'group_id' });
  }

  /**
   * Makes changes of a group's members wait for each other, so that two owners cannot both leave
   * because the other one stays. False when the group is gone.
   */
  async lockGroup(groupId: number): Promise<boolean> {
    const rows = await this.database.rows(
      `SELECT 1 FROM namespaces WHERE id = $1 AND owner_id IS NULL AND deleted_at IS NULL
          FOR NO KEY UPDATE`,
      [groupId],
    );
    return rows.length > 0;
  }

  /** Whether somebody is an owner while no other owner stays at least as long. */
  async isLastOwner(groupId: number, userId: number): Promise<boolean> {
    const rows = await this.database.rows(
      `SELECT 1 FROM group_members m
        WHERE m.group_id = $1 AND m.user_id = $2 AND ${isLastOwner('m')}`,
      [groupId, userId],
    );
    return rows.length > 0;
  }
}
