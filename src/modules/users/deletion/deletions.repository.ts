import { Injectable } from '@nestjs/common';
import {
  checked,
  Database,
  inOrderOf,
  rowById,
  sqlState,
} from '../../../platform/database/index.js';
import { randomToken, Secrets } from '../../../platform/secrets/index.js';
import { isLastOwner } from '../../authorization/index.js';
import { GHOST } from '../model/users.sql.js';
import { ErasesAccountData } from './erases-account-data.js';

const FOREIGN_KEY_VIOLATION = '23503';

/** Not the hash of any password. */
const NO_PASSWORD = '!';

/** Number of events that one call of `handOverEvents` rewrites. */
const EVENTS_CHUNK = 1_000;

/** All groups of the account: in each of them a concurrent request may be about to make it an owner. */
const LOCK_GROUPS = `
  SELECT id FROM namespaces
   WHERE id = ANY(ARRAY(SELECT group_id FROM group_members WHERE user_id = $1))
   ${inOrderOf('id')} FOR NO KEY UPDATE`;

const LAST_OWNED_GROUP = `
  SELECT 1 FROM group_members own
   WHERE own.user_id = $1 AND ${isLastOwner('own')}
     AND EXISTS (SELECT 1 FROM ${rowById('namespaces', 'own.group_id')} n WHERE n.deleted_at IS NULL)
   LIMIT 1`;

const FIND_GHOST = `SELECT id FROM (${GHOST}) ghost`;

const INSERT_GHOST = `
  INSERT INTO users (ghost, username, name, email, state, password_hash, private_token_digest,
                     private_token_sealed, projects_limit, can_create_group)
  VALUES (true, 'ghost', 'Ghost User', '', 'blocked', $1, $2, $3, 0, false)
  ON CONFLICT DO NOTHING`;

const HAND_OVER_EVENTS = `
  UPDATE events SET author_id = $2
   WHERE id IN (SELECT id FROM events WHERE author_id = $1 ORDER BY id
                 LIMIT ${String(EVENTS_CHUNK)})
  RETURNING id`;

/** Deletes accounts. Reads and writes the tables of upper rooms by SQL only. */
@Injectable()
export class DeletionsRepository {
  constructor(
    private readonly database: Database,
    private readonly secrets: Secrets,
  ) {}

  /** Locks all groups of an account and returns whether it is the last owner of any. */
  async isLastGroupOwner(userId: number): Promise<boolean> {
    await this.database.rows(LOCK_GROUPS, [userId]);
    return (await this.database.rows(LAST_OWNED_GROUP, [userId])).length > 0;
  }

  /** Marks an account as deleted, which frees its name and address, and removes its credentials. */
  async hide(userId: number): Promise<void> {
    await this.database.rows('UPDATE users SET deleted_at = now() WHERE id = $1', [userId]);
    for (const table of ['ssh_keys', 'emails', 'identities', 'web_sessions']) {
      await this.database.rows(`DELETE FROM ${table} WHERE user_id = $1`, [userId]);
    }
  }

  /** Whether the row of a deleted account still exists. */
  async isHidden(userId: number): Promise<boolean> {
    const rows = await this.database.rows(
      `SELECT 1 FROM users WHERE id = $1 AND ${checked('deleted_at IS NOT NULL')}`,
      [userId],
    );
    return rows.length > 0;
  }

  /** Returns the ID of the ghost account, which is created on first use. */
  async findOrCreateGhost(): Promise<number> {
    const found = await this.findGhost();
    if (found !== undefined) return found;
    const token = randomToken();
    // Waits for a concurrent insert to commit.
    await this.database.rows(INSERT_GHOST, [
      NO_PASSWORD,
      this.secrets.digest(token),
      this.secrets.seal(token),
    ]);
    const created = await this.findGhost();
    if (created === undefined) throw new Error('The ghost account cannot be created');
    return created;
  }

  /**
   * Attributes some events of a deleted account to the ghost account. A push that is under way or was
   * interrupted keeps the account as its author until its events are recorded; the account's row stays
   * until then.
   * @returns whether there may be more
   */
  @ErasesAccountData()
  async handOverEvents(userId: number, ghostId: number): Promise<boolean> {
    const updated = await this.database.rows(HAND_OVER_EVENTS, [userId, ghostId]);
    return updated.length === EVENTS_CHUNK;
  }

  /** Removes the row of a deleted account; false while other rows still refer to it. */
  async remove(userId: number): Promise<boolean> {
    try {
      await this.database.rows('DELETE FROM users WHERE id = $1 AND deleted_at IS NOT NULL', [
        userId,
      ]);
      return true;
    } catch (error) {
      if (sqlState(error) === FOREIGN_KEY_VIOLATION) return false;
      throw error;
    }
  }

  private async findGhost(): Promise<number | undefined> {
    const [row] = await this.database.rows<{ id: number }>(FIND_GHOST);
    return row?.id;
  }
}
