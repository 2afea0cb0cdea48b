import { Injectable } from '@nestjs/common';
import { Database, notDeleted, rowById } from '../../../platform/database/index.js';
import { User } from '../model/user.entity.js';

/** Sessions of browsers. */
export const WEB_SESSIONS = {
  /** Without use. */
  idleSeconds: 24 * 3_600,
  lifetimeSeconds: 7 * 24 * 3_600,
  /** The oldest ones of an account end when it signs in more often. */
  perUser: 20,
  /** How exactly the last use is known. */
  touchSeconds: 300,
};

const { idleSeconds, lifetimeSeconds, perUser, touchSeconds } = WEB_SESSIONS;

/** Condition of sessions that have not ended. */
const LIVING = `s.expires_at > now() AND s.last_used_at > now() - interval '${idleSeconds} seconds'`;

/**
 * The account is locked: one that is being blocked, or gets another password or token, either loses this session too, or
 * is found as it is afterwards.
 */
const INSERT = `
  INSERT INTO web_sessions (user_id, token_hash, address, expires_at)
  SELECT u.id, $4, $5, now() + interval '${lifetimeSeconds} seconds'
    FROM (SELECT id FROM users
           WHERE id = $1 AND password_hash = $2 AND private_token_digest = $3
             AND state = 'active' AND ${notDeleted()}
             FOR SHARE) u
  RETURNING id`;

/** Deletes all sessions of an account but the newest ones. */
const DELETE_OLDEST = `
  DELETE FROM web_sessions
   WHERE id IN (SELECT id FROM web_sessions WHERE user_id = $1 ORDER BY id DESC OFFSET ${perUser})`;

/** Not at every request, so that reading pages hardly writes. */
const TOUCH = `
  UPDATE web_sessions s SET last_used_at = now()
   WHERE s.token_hash = $1 AND s.last_used_at < now() - interval '${touchSeconds} seconds' AND ${LIVING}`;

const DELETE_ENDED = `
  DELETE FROM web_sessions
   WHERE id IN (SELECT s.id FROM web_sessions s WHERE NOT (${LIVING}) LIMIT 1000)
  RETURNING id`;

const IS_STALE = 'isStale';

/** Sessions of browsers. */
@Injectable()
export class WebSessionsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Inserts a session of an account that has signed in.
   * @returns false when the account has another password or token meanwhile, or is blocked or deleted
   */
  async insert(user: User, tokenHash: string, address: string): Promise<boolean> {
    const { id, passwordHash, privateTokenDigest } = user;
    const inserted = await this.database.rows(INSERT, [
      id,
      passwordHash,
      privateTokenDigest,
      tokenHash,
      address,
    ]);
    await this.database.rows(DELETE_OLDEST, [id]);
    return inserted.length > 0;
  }

  /** Finds the active account of a session that has not ended, and notes that the session is used. */
  async findUser(tokenHash: string): Promise<User | null> {
    const columns = this.database.columns(User);
    const [row] = await this.database.rows<Record<string, unknown>>(
      `SELECT ${columns.list('u')},
              s.last_used_at < now() - interval '${touchSeconds} seconds' AS "${IS_STALE}"
         FROM web_sessions s
         JOIN ${rowById('users', 's.user_id')} u ON u.state = 'active' AND u.deleted_at IS NULL
        WHERE s.token_hash = $1 AND ${LIVING}`,
      [tokenHash],
    );
    if (row === undefined) return null;
    if (row[IS_STALE] === true) await this.database.rows(TOUCH, [tokenHash]);
    return columns.read(row);
  }

  async delete(tokenHash: string): Promise<void> {
    await this.database.rows('DELETE FROM web_sessions WHERE token_hash = $1', [tokenHash]);
  }

  /** Ends all sessions of an account. */
  async deleteOfUser(userId: number): Promise<void> {
    await this.database.rows('DELETE FROM web_sessions WHERE user_id = $1', [userId]);
  }

  /** Deletes some sessions that have ended; false if there were none. */
  async deleteSomeEnded(): Promise<boolean> {
    return (await this.database.rows(DELETE_ENDED)).length > 0;
  }
}
