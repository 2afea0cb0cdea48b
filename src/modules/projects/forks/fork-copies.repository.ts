import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import type { CopyPayload } from './fork.jobs.js';

/** One end of a copy. */
export interface CopiedProject {
  id: number;
  storage: string;
  defaultBranch: string | null;
}

const SELECT = 'SELECT id, storage, default_branch AS "defaultBranch" FROM projects';

/** Forks that have yet to be filled. */
@Injectable()
export class ForkCopiesRepository {
  constructor(private readonly database: Database) {}

  /** The fork, null when it was filled or deleted meanwhile. */
  async waiting(id: number): Promise<CopiedProject | null> {
    const [fork] = await this.database.rows<CopiedProject>(
      `${SELECT} WHERE id = $1 AND repository_state = 'copying' AND deleted_at IS NULL`,
      [id],
    );
    return fork ?? null;
  }

  /** What to copy from; a project that is being removed waits with its repository for its forks. */
  async source(id: number | null): Promise<CopiedProject | null> {
    const [source] = await this.database.rows<CopiedProject>(`${SELECT} WHERE id = $1`, [id]);
    return source ?? null;
  }

  /** Whether a project is itself still to be filled. */
  async isBeingFilled(id: number | null): Promise<boolean> {
    const rows = await this.database.rows(
      `${SELECT} WHERE id = $1 AND repository_state <> 'ready' AND deleted_at IS NULL`,
      [id],
    );
    return rows.length > 0;
  }

  /** Names the fork's default branch and lets pushes in; false when that was done before. */
  async finish(id: number, defaultBranch: string | null): Promise<boolean> {
    const rows = await this.database.rows(
      `UPDATE projects SET repository_state = 'ready', default_branch = $2
        WHERE id = $1 AND repository_state = 'copying' AND deleted_at IS NULL
       RETURNING id`,
      [id, defaultBranch],
    );
    return rows.length > 0;
  }

  /** Writes down why a fork is empty, as the record of an import that has failed. */
  async insertFailure(id: number, sourceId: number | null, failure: string): Promise<void> {
    await this.database.rows(
      `INSERT INTO project_imports (project_id, user_id, address, state, failure)
       SELECT p.id, p.creator_id,
              coalesce((SELECT n.path || '/' || s.path FROM projects s
                          JOIN namespaces n ON n.id = s.namespace_id WHERE s.id = $2), ''),
              'failed', $3
         FROM projects p WHERE p.id = $1
           ON CONFLICT DO NOTHING`,
      [id, sourceId, failure],
    );
  }

  /** Forks that have waited for longer than any copy takes. */
  abandoned(minutes: number): Promise<CopyPayload[]> {
    return this.database.rows(
      `SELECT p.id AS "projectId", f.forked_from_project_id AS "sourceId"
         FROM projects p LEFT JOIN fork_links f ON f.forked_to_project_id = p.id
        WHERE p.repository_state = 'copying' AND p.deleted_at IS NULL
          AND p.created_at < now() - $1 * interval '1 minute'`,
      [minutes],
    );
  }
}
