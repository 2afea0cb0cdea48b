import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { ErasesAccountData } from './account-erasure.js';

const CHUNK = 1_000;

/** Push data say who pushed as well: of those keys each that is there is written anew. */
const HAND_OVER = `
  UPDATE events
     SET author_id = $2,
         data = data || (SELECT coalesce(jsonb_object_agg(key, value), '{}')
                           FROM jsonb_each($3::jsonb) WHERE events.data ? key)
   WHERE id IN (SELECT id FROM events WHERE author_id = $1 ORDER BY id LIMIT ${String(CHUNK)})
  RETURNING id`;

/**
 * Attributes to the ghost what a deleted account did in other people's projects (open points 5.15). A
 * push that is under way or was interrupted stays the account's until its events are recorded: the
 * account's row waits for that.
 */
@Injectable()
export class AuthorshipErasure {
  constructor(private readonly database: Database) {}

  @ErasesAccountData()
  async handOverEvents(userId: number, ghostId: number): Promise<boolean> {
    const pusher = {
      user_id: ghostId,
      user_name: 'Ghost User',
      user_email: '',
      user_avatar: null,
    };
    const moved = await this.database.rows(HAND_OVER, [userId, ghostId, JSON.stringify(pusher)]);
    return moved.length === CHUNK;
  }
}
