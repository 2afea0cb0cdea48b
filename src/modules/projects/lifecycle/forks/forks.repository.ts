import { Injectable } from '@nestjs/common';
import {
  Database,
  inOrderOf,
  notDeleted,
  rowById,
  rowsByIds,
  rowsWhere,
  holdUnmodified,
} from '../../../../platform/database/index.js';
import {
  projectsIn,
  type Visibility,
  VISIBILITY_LEVEL,
  visibilityOf,
} from '../../../authorization/index.js';
import { Project } from '../../model/project.entity.js';
import { ForkLink } from '../../model/project-links.entity.js';

/** The source or the target of a copy. */
export interface CopiedProject {
  id: number;
  storage: string;
  defaultBranch: string | null;
}

/** A fork whose visibility was lowered. */
export interface LoweredFork {
  id: number;
  fullPath: string;
  /** Its visibility before. */
  from: Visibility;
}

/** A fork that has to be filled. */
export interface PendingCopy {
  projectId: number;
  /** Null when the fork relation was removed meanwhile. */
  sourceId: number | null;
}

const COPIED_PROJECT = 'SELECT id, storage, default_branch AS "defaultBranch" FROM projects';

/** The project `p` that a link `f` makes a fork. */
const FORK = `${rowById('projects', 'f.forked_to_project_id')} p`;

/**
 * Fork relations, the number of forks of each project, and the copying of their repositories. A relation changes in
 * one unit of work with the number. Relations to deleted projects are ignored.
 */
@Injectable()
export class ForksRepository {
  constructor(private readonly database: Database) {}

  /** Finds the ID of a fork's source; null when the project is not a fork. */
  async sourceOf(forkId: number): Promise<number | null> {
    const link = await this.database.of(ForkLink).findOneBy({ forkedToProjectId: forkId });
    return link?.forkedFromProjectId ?? null;
  }

  /** Whether a project is a fork of the other; locks the relation to the end of the unit of work. */
  async hold(forkId: number, sourceId: number): Promise<boolean> {
    const rows = await this.database.rows(
      `SELECT 1 FROM fork_links
        WHERE forked_to_project_id = $1 AND forked_from_project_id = $2 FOR KEY SHARE`,
      [forkId, sourceId],
    );
    return rows.length > 0;
  }

  /** Whether the namespace has a fork of the project, under any name. */
  async isForkedInto(sourceId: number, namespaceId: number): Promise<boolean> {
    const [row] = await this.database.rows<{ forked: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM ${projectsIn('$2')} p
                       JOIN ${rowsWhere('fork_links', 'forked_to_project_id = p.id')} f
                         ON f.forked_from_project_id = $1) AS forked`,
      [sourceId, namespaceId],
    );
    return row?.forked === true;
  }

  /** Locks both projects to the end of the unit of work; false when one of them is deleted. */
  async lockBoth(forkId: number, sourceId: number): Promise<boolean> {
    const rows = await this.database.rows(
      `SELECT id FROM projects WHERE id = ANY($1::int[]) AND ${notDeleted()}
        ${inOrderOf('id')} FOR NO KEY UPDATE`,
      [[forkId, sourceId]],
    );
    return rows.length === 2;
  }

  /**
   * Locks the forks of a project, and their forks, to the end of the unit of work.
   * @returns their IDs
   */
  async lockForksOf(sourceId: number): Promise<number[]> {
    const rows = await this.database.rows<{ id: number }>(
      `WITH RECURSIVE forks (id) AS (
         SELECT $1::int
          UNION
         SELECT p.id FROM forks
           JOIN fork_links f ON f.forked_from_project_id = forks.id
           JOIN ${FORK} ON p.deleted_at IS NULL)
       SELECT p.id FROM projects p WHERE p.id = ANY(ARRAY(SELECT id FROM forks WHERE id <> $1))
        ${inOrderOf('p.id')} FOR NO KEY UPDATE OF p`,
      [sourceId],
    );
    return rows.map(({ id }) => id);
  }

  /** Lowers those of the projects that are more visible. Needs their locks. */
  lowerVisibility(ids: readonly number[], visibility: Visibility): Promise<LoweredFork[]> {
    return this.database.rows<LoweredFork>(
      `UPDATE projects p SET visibility_level = $2, updated_at = now()
         FROM ${rowsByIds('projects', '$1::int[]')} before
         JOIN ${rowById('namespaces', 'before.namespace_id')} n ON true
        WHERE p.id = before.id AND p.visibility_level > $2
       RETURNING p.id, n.path || '/' || p.path AS "fullPath", ${visibilityOf('before')} AS "from"`,
      [ids, VISIBILITY_LEVEL[visibility]],
    );
  }

  /**
   * Adds a fork relation. Needs the locks of both projects.
   * @returns null when the project is a fork already
   */
  async insert(forkId: number, sourceId: number): Promise<ForkLink | null> {
    const [link] = await this.database.rows<{ id: number }>(
      `INSERT INTO fork_links AS link (forked_to_project_id, forked_from_project_id)
       VALUES ($1, $2)
       ON CONFLICT (forked_to_project_id) DO UPDATE
         SET forked_from_project_id = $2, created_at = now(), updated_at = now()
       WHERE EXISTS (SELECT 1 FROM ${rowById('projects', 'link.forked_from_project_id')} p
                      WHERE p.deleted_at IS NOT NULL)
       RETURNING id`,
      [forkId, sourceId],
    );
    if (link === undefined) return null;
    await this.database.rows('UPDATE projects SET forks_count = forks_count + 1 WHERE id = $1', [
      sourceId,
    ]);
    return this.database.of(ForkLink).findOneByOrFail({ id: link.id });
  }

  /** Removes a fork relation. @returns the relation as it was, null when the project is not a fork */
  async remove(forkId: number): Promise<ForkLink | null> {
    const where = 'forked_to_project_id = $1';
    const row = { table: 'fork_links', column: 'created_at', where } as const;
    await holdUnmodified(this.database, row, [forkId]);
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

  /** Whether forks are still being copied from the project's repository. */
  async isBeingCopied(sourceId: number): Promise<boolean> {
    const [row] = await this.database.rows<{ copied: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM fork_links f JOIN ${FORK} ON p.repository_state = 'copying'
                       WHERE f.forked_from_project_id = $1 AND p.deleted_at IS NULL) AS copied`,
      [sourceId],
    );
    return row?.copied === true;
  }

  /** Finds a fork that has to be filled; null when it is filled or deleted. */
  async findPendingFork(id: number): Promise<CopiedProject | null> {
    const [fork] = await this.database.rows<CopiedProject>(
      `${COPIED_PROJECT} WHERE id = $1 AND repository_state = 'copying' AND ${notDeleted()}`,
      [id],
    );
    return fork ?? null;
  }

  /** Finds the source of a copy, which may be deleted: its repository remains until its forks are filled. */
  async findCopySource(id: number | null): Promise<CopiedProject | null> {
    const [source] = await this.database.rows<CopiedProject>(`${COPIED_PROJECT} WHERE id = $1`, [
      id,
    ]);
    return source ?? null;
  }

  /** Whether a project's own repository is still being filled. */
  async isBeingFilled(id: number | null): Promise<boolean> {
    const rows = await this.database.rows(
      `${COPIED_PROJECT} WHERE id = $1 AND repository_state <> 'ready' AND ${notDeleted()}`,
      [id],
    );
    return rows.length > 0;
  }

  /** Marks a fork as filled and sets its default branch. @returns false when it is filled already or deleted */
  async finishCopy(id: number, defaultBranch: string | null): Promise<boolean> {
    const rows = await this.database.rows(
      `UPDATE projects
          SET repository_state = 'ready', default_branch = $2, refs_version = refs_version + 1
        WHERE id = $1 AND repository_state = 'copying' AND ${notDeleted()}
       RETURNING id`,
      [id, defaultBranch],
    );
    return rows.length > 0;
  }

  /** Records why a fork is empty, as a failed import. */
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

  /** Lists forks that have not been filled for longer than a copy takes. */
  listAbandonedCopies(minutes: number): Promise<PendingCopy[]> {
    return this.database.rows(
      `SELECT p.id AS "projectId", f.forked_from_project_id AS "sourceId"
         FROM projects p LEFT JOIN fork_links f ON f.forked_to_project_id = p.id
        WHERE p.repository_state = 'copying' AND p.deleted_at IS NULL
          AND p.created_at < now() - $1 * interval '1 minute'`,
      [minutes],
    );
  }
}
