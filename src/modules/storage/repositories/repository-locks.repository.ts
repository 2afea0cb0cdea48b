import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { countFreeLocks, REPOSITORY_LOCK } from './free-locks.query.js';

/** Held by a session that backs the instance up (docs/decisions/0050-backup.md). */
export const BACKUP_LOCK = 7_265_007;

/**
 * Takes the push locks of projects, to the end of the unit of work. A unit of work that moves refs of a
 * project, or relies on where they are, takes the lock before it locks any row of the project
 * (docs/lock-order.md#notes).
 */
@Injectable()
export class RepositoryLocks {
  constructor(private readonly database: Database) {}

  /** Waits for the lock. */
  async take(projectId: number): Promise<void> {
    await this.database.rows('SELECT pg_advisory_xact_lock($1, $2)', [REPOSITORY_LOCK, projectId]);
  }

  /** Takes the lock without waiting. @returns false when another transaction holds it */
  async tryTake(projectId: number): Promise<boolean> {
    const [row] = await this.database.rows<{ locked: boolean }>(
      'SELECT pg_try_advisory_xact_lock($1, $2) AS locked',
      [REPOSITORY_LOCK, projectId],
    );
    return row?.locked === true;
  }

  /** Counts those of some projects whose lock no transaction holds. */
  countFree(projectIds: readonly number[]): Promise<number> {
    return countFreeLocks(this.database, projectIds);
  }

  /** Whether a backup is under way, which needs the files of all projects that existed when it began. */
  async isBackupUnderWay(): Promise<boolean> {
    const [row] = await this.database.rows<{ isFree: boolean }>(
      'SELECT pg_try_advisory_xact_lock_shared($1) AS "isFree"',
      [BACKUP_LOCK],
    );
    return row?.isFree !== true;
  }
}
