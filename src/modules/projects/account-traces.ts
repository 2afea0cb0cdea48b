import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import { AccountErasure } from '../users/index.js';
import { StarsRepository } from './stars/stars.repository.js';

/** Rows that one call of a step touches at most. */
const CHUNK = 500;

/** In deleted projects too, as long as their rows are there: they refer to the account. */
const HAND_OVER = `
  UPDATE projects SET creator_id = $2
   WHERE id IN (SELECT id FROM projects WHERE creator_id = $1 ORDER BY id LIMIT ${String(CHUNK)})
  RETURNING id`;

/**
 * What a deleted account leaves with projects (open points 5.15): its stars go, the projects it made
 * in groups become the ghost's.
 */
@Injectable()
export class AccountTraces {
  constructor(
    private readonly database: Database,
    private readonly stars: StarsRepository,
    erasure: AccountErasure,
  ) {
    erasure.register({ name: 'stars', run: (userId) => this.removeStars(userId) });
    erasure.register({
      name: 'creators',
      run: (userId, ghostId) => this.handOver(userId, ghostId),
    });
  }

  private async removeStars(userId: number): Promise<boolean> {
    return (await this.stars.removeSome(userId, CHUNK)) === CHUNK;
  }

  private async handOver(userId: number, ghostId: number): Promise<boolean> {
    const rows = await this.database.rows(HAND_OVER, [userId, ghostId]);
    return rows.length === CHUNK;
  }
}
