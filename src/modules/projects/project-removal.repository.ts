import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import type { StoredProject } from './project-storage.js';

/** Hides projects for good and unties them from others; background jobs remove what is left. */
@Injectable()
export class ProjectRemovalRepository {
  constructor(private readonly database: Database) {}

  /** The project, or nothing when that was done before. */
  hide(id: number): Promise<StoredProject[]> {
    return this.database.rows(`${HIDE} id = $1 AND deleted_at IS NULL RETURNING id, storage`, [id]);
  }

  /** All projects of a namespace. */
  hideAllIn(namespaceId: number): Promise<StoredProject[]> {
    return this.database.rows(
      `${HIDE} namespace_id = $1 AND deleted_at IS NULL RETURNING id, storage`,
      [namespaceId],
    );
  }

  /**
   * Their forks live on without relation, and what they were forked from counts one fork less
   * (docs/reference/projects.md#delete-projectsid). Call once they are hidden: nobody forks them
   * any more. Forks that are still being copied keep theirs, which nobody sees: the repository to
   * copy from waits for them.
   */
  async untie(ids: readonly number[]): Promise<void> {
    await this.database.rows(
      `WITH untied AS (
         DELETE FROM fork_links
          WHERE forked_to_project_id = ANY($1::int[])
             OR (forked_from_project_id = ANY($1::int[])
                 AND forked_to_project_id NOT IN (
                   SELECT id FROM projects
                    WHERE repository_state = 'copying' AND deleted_at IS NULL))
         RETURNING forked_from_project_id AS id),
       lost AS (SELECT id, count(*)::int AS forks FROM untied GROUP BY id)
       UPDATE projects SET forks_count = forks_count - lost.forks FROM lost
        WHERE projects.id = lost.id`,
      [ids],
    );
  }
}

const HIDE = 'UPDATE projects SET deleted_at = now() WHERE';
