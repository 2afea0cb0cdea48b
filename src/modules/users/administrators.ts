import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';

/** Any number, the same in every process: the key of the lock on who administers. */
const ADMINISTRATORS_LOCK = 7_265_002;

/** Sees to it that somebody is left who can administer, whoever is taken away at the same time. */
@Injectable()
export class Administrators {
  constructor(private readonly database: Database) {}

  /**
   * Whether an active administrator is left without this account. Until the unit of work ends
   * everybody else who asks waits here, so that two cannot remove each other.
   */
  async remainWithout({ id }: { id: number }): Promise<boolean> {
    await this.database.rows('SELECT pg_advisory_xact_lock($1)', [ADMINISTRATORS_LOCK]);
    const others = await this.database.rows(
      `SELECT 1 FROM users
        WHERE admin AND state = 'active' AND deleted_at IS NULL AND id <> $1
        LIMIT 1`,
      [id],
    );
    return others.length > 0;
  }
}
