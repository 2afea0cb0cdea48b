import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';

/** First key of the advisory locks that make writers of one repository wait for each other. */
const REPOSITORY_LOCK = 7_265_002;

/**
 * Whoever moves refs of a project's repository, or relies on their staying where they are, holds its
 * lock until the end of the unit of work. It is taken before any row of the project is locked.
 */
@Injectable()
export class RepositoryLocks {
  constructor(private readonly database: Database) {}

  /** Waits for the lock. */
  async take(projectId: number): Promise<void> {
    await this.database.rows('SELECT pg_advisory_xact_lock($1, $2)', [REPOSITORY_LOCK, projectId]);
  }

  /** False when somebody else holds the lock. */
  async tryTake(projectId: number): Promise<boolean> {
    const [row] = await this.database.rows<{ locked: boolean }>(
      'SELECT pg_try_advisory_xact_lock($1, $2) AS locked',
      [REPOSITORY_LOCK, projectId],
    );
    return row?.locked === true;
  }
}
