import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { Project } from '../project.entity.js';
import { ForkLink } from './fork-link.entity.js';

/**
 * Which project was forked from which, and how many forks each has. Every change of a link changes
 * the count in the same unit of work. A link to a project that is being removed counts for nothing.
 */
@Injectable()
export class ForkLinksRepository {
  constructor(private readonly database: Database) {}

  /** The ID of the project that another was forked from; null for what is no fork. */
  async sourceOf(forkId: number): Promise<number | null> {
    const link = await this.database.of(ForkLink).findOneBy({ forkedToProjectId: forkId });
    return link?.forkedFromProjectId ?? null;
  }

  /** Whether one is a fork of the other; if so, it stays one until the caller's unit of work is over. */
  async hold(forkId: number, sourceId: number): Promise<boolean> {
    const rows = await this.database.rows(
      `SELECT 1 FROM fork_links
        WHERE forked_to_project_id = $1 AND forked_from_project_id = $2 FOR KEY SHARE`,
      [forkId, sourceId],
    );
    return rows.length > 0;
  }

  /** Whether a living fork of the project is in the namespace, under whatever name. */
  async isForkedInto(sourceId: number, namespaceId: number): Promise<boolean> {
    const [row] = await this.database.rows<{ forked: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM fork_links f JOIN projects p ON p.id = f.forked_to_project_id
                       WHERE f.forked_from_project_id = $1 AND p.namespace_id = $2
                         AND p.deleted_at IS NULL) AS forked`,
      [sourceId, namespaceId],
    );
    return row?.forked === true;
  }

  /** Locks both projects to the end of the unit of work; false when one of them is gone. */
  async lockBoth(forkId: number, sourceId: number): Promise<boolean> {
    const rows = await this.database.rows(
      `SELECT id FROM projects WHERE id = ANY($1::int[]) AND deleted_at IS NULL
        ORDER BY id FOR NO KEY UPDATE`,
      [[forkId, sourceId]],
    );
    return rows.length === 2;
  }

  /** Null when the project is a fork already. Call with both projects locked. */
  async insert(forkId: number, sourceId: number): Promise<ForkLink | null> {
    const [link] = await this.database.rows<{ id: number }>(
      `INSERT INTO fork_links AS link (forked_to_project_id, forked_from_project_id)
       VALUES ($1, $2)
       ON CONFLICT (forked_to_project_id) DO UPDATE
         SET forked_from_project_id = $2, created_at = now(), updated_at = now()
       WHERE EXISTS (SELECT 1 FROM projects p
                      WHERE p.id = link.forked_from_project_id AND p.deleted_at IS NOT NULL)
       RETURNING id`,
      [forkId, sourceId],
    );
    if (link === undefined) return null;
    await this.database.rows('UPDATE projects SET forks_count = forks_count + 1 WHERE id = $1', [
      sourceId,
    ]);
    return this.database.of(ForkLink).findOneByOrFail({ id: link.id });
  }

  /** The link as it was, null for what is no fork. */
  async remove(forkId: number): Promise<ForkLink | null> {
    const links = this.database.of(ForkLink);
    const link = await links
      .createQueryBuilder('link')
      .innerJoin(Project, 'source', 'source.id = link.forked_from_project_id')
      .where('link.forked_to_project_id = :forkId AND source.deleted_at IS NULL', { forkId })
      .getOne();
    if (link === null || (await links.delete({ id: link.id })).affected === 0) return null;
    await this.database.rows('UPDATE projects SET forks_count = forks_count - 1 WHERE id = $1', [
      link.forkedFromProjectId,
    ]);
    return link;
  }

  /** Whether forks of a project have yet to get their copy of its repository. */
  async isBeingCopied(sourceId: number): Promise<boolean> {
    const [row] = await this.database.rows<{ copied: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM fork_links f JOIN projects p ON p.id = f.forked_to_project_id
                       WHERE f.forked_from_project_id = $1 AND p.repository_state = 'copying'
                         AND p.deleted_at IS NULL) AS copied`,
      [sourceId],
    );
    return row?.copied === true;
  }
}
