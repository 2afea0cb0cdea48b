import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { AccountErasure } from '../../users/index.js';

const CHUNK = 1_000;

/** Links of labels tell who wrote what they are on; what a deleted account wrote is the ghost's. */
@Injectable()
export class LabelErasure {
  constructor(
    private readonly database: Database,
    erasure: AccountErasure,
  ) {
    erasure.register({
      name: 'labels of what was written',
      run: (userId, ghostId) => this.handOver(userId, ghostId),
    });
  }

  /** Whether there may be more. */
  private async handOver(userId: number, ghostId: number): Promise<boolean> {
    const changed = await this.database.rows(HAND_OVER, [userId, ghostId, CHUNK]);
    return changed.length === CHUNK;
  }
}

const HAND_OVER = `
  UPDATE label_links link SET author_id = $2
    FROM (SELECT target_type, target_id, label_id FROM label_links
           WHERE author_id = $1 LIMIT $3 FOR NO KEY UPDATE) theirs
   WHERE link.target_type = theirs.target_type AND link.target_id = theirs.target_id
     AND link.label_id = theirs.label_id
  RETURNING 1`;
