import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import type { RepositoryState } from '../project.entity.js';

/** What repositories are being filled by (`projects.repository_state`). */
@Injectable()
export class RepositoryStates {
  constructor(private readonly database: Database) {}

  /** Null for a project that is deleted. */
  async find(projectId: number): Promise<RepositoryState | null> {
    const [row] = await this.database.rows<{ state: RepositoryState }>(
      'SELECT repository_state AS state FROM projects WHERE id = $1 AND deleted_at IS NULL',
      [projectId],
    );
    return row?.state ?? null;
  }

  /** Whether this call ended what filled the repository of a project that is still there. */
  async makeReady(projectId: number, filledBy: RepositoryState): Promise<boolean> {
    const rows = await this.database.rows(
      `UPDATE projects SET repository_state = 'ready'
        WHERE id = $1 AND repository_state = $2 AND deleted_at IS NULL
       RETURNING id`,
      [projectId, filledBy],
    );
    return rows.length > 0;
  }
}
