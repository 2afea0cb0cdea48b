import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { BatchedReads, Database } from '../../platform/database/index.js';
import { UNKNOWN_ID } from '../../platform/http/index.js';
import { Level, unexpired } from '../access/index.js';
import { ErasesAccountData } from '../users/index.js';
import { Project } from './project.entity.js';

export type NewProject = Pick<
  Project,
  'namespaceId' | 'creatorId' | 'name' | 'path' | 'visibilityLevel' | 'runnersTokenSealed'
> &
  Partial<Project>;

/** Rows that one step of erasing an account changes. */
const CHUNK = 500;

@Injectable()
export class ProjectsRepository {
  private readonly byId = new BatchedReads<number, Project | null>({
    key: (id) => id,
    answer: (ids) => this.findByIds(ids),
  });

  constructor(private readonly database: Database) {}

  async insert(project: NewProject): Promise<Project> {
    const projects = this.database.of(Project);
    const { identifiers } = await projects.insert(project);
    return projects.findOneByOrFail({ id: (identifiers[0] as { id: number }).id });
  }

  /**
   * Makes the creator a master of a project in a personal namespace; group projects get no direct
   * membership (docs/reference/members.md#access-levels).
   * @returns whether that gave access to somebody other than the namespace's owner
   */
  async addCreator({ id, creatorId, namespaceId }: Project): Promise<boolean> {
    const [row] = await this.database.rows<{ joined: boolean }>(
      `WITH place AS (SELECT owner_id FROM namespaces WHERE id = $3 AND owner_id IS NOT NULL),
            added AS (INSERT INTO project_members (project_id, user_id, access_level)
                      SELECT $1, $2, ${String(Level.MASTER)} FROM place)
       SELECT owner_id <> $2 AS joined FROM place`,
      [id, creatorId, namespaceId],
    );
    return row?.joined === true;
  }

  findById(id: number): Promise<Project | null> {
    return this.byId.ask(id);
  }

  private async findByIds(ids: readonly number[]): Promise<(Project | null)[]> {
    const found = await this.database.entities(
      Project,
      'p',
      'FROM projects p WHERE p.id = ANY($1::int[]) AND p.deleted_at IS NULL',
      [ids],
    );
    const projects = new Map(found.map((project) => [project.id, project]));
    return ids.map((id) => projects.get(id) ?? null);
  }

  /**
   * Attributes some projects that a deleted account made to the ghost: deleted projects too, whose rows still
   * refer to the account.
   * @returns whether there may be more
   */
  @ErasesAccountData()
  async handOverCreated(userId: number, ghostId: number): Promise<boolean> {
    const rows = await this.database.rows(
      `UPDATE projects SET creator_id = $2
        WHERE id IN (SELECT id FROM projects WHERE creator_id = $1 ORDER BY id LIMIT $3)
        RETURNING id`,
      [userId, ghostId, CHUNK],
    );
    return rows.length === CHUNK;
  }

  /** Removes the row of a deleted project and all that hangs on it. */
  async purge(id: number): Promise<void> {
    await this.database.rows('DELETE FROM projects WHERE id = $1 AND deleted_at IS NOT NULL', [id]);
  }

  /** Of the given IDs those that belong to a project, deleted ones included. */
  async existing(ids: readonly number[]): Promise<Set<number>> {
    const rows = await this.database.rows<{ id: number }>(
      'SELECT id FROM projects WHERE id = ANY($1::int[])',
      [ids],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** The project's row, locked to the end of the unit of work; null for one that is deleted. */
  lock(id: number): Promise<Project | null> {
    return this.database.of(Project).findOne({
      where: { id, deletedAt: IsNull() },
      lock: { mode: 'for_no_key_update' },
    });
  }

  /** Changes what is given, and the time of the last change. */
  async update(id: number, changes: Partial<Project>): Promise<void> {
    await this.database.of(Project).update({ id }, { ...changes, updatedAt: () => 'now()' });
  }

  /** Does nothing to a project that already is as asked. */
  async setArchived(id: number, archived: boolean): Promise<void> {
    await this.database.rows(
      `UPDATE projects SET archived = $2, updated_at = now()
        WHERE id = $1 AND archived <> $2 AND deleted_at IS NULL`,
      [id, archived],
    );
  }

  /**
   * Whether a project of the namespace has the name, and one of the paths, whatever their case.
   * @param texts.id a project that does not count
   */
  async taken(
    namespaceId: number,
    texts: { id?: number | undefined; name?: string | undefined; paths: readonly string[] },
  ): Promise<{ name: boolean; path: boolean }> {
    const paths = [...new Set(texts.paths.map((path) => path.toLowerCase()))];
    const [row] = await this.database.rows<{ name: boolean; path: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM projects WHERE namespace_id = $1 AND name = $2 AND id <> $4
                         AND deleted_at IS NULL) AS name,
              EXISTS (SELECT 1 FROM projects WHERE namespace_id = $1 AND lower(path) = ANY($3)
                         AND id <> $4 AND deleted_at IS NULL) AS path`,
      [namespaceId, texts.name ?? null, paths, texts.id ?? UNKNOWN_ID],
    );
    return row ?? { name: false, path: false };
  }

  /** The level of a membership in a group, 0 without one. */
  async levelInGroup(userId: number, groupId: number): Promise<number> {
    const [row] = await this.database.rows<{ level: number }>(
      `SELECT access_level AS level FROM group_members g
        WHERE g.user_id = $1 AND g.group_id = $2 AND ${unexpired('g.expires_at')}`,
      [userId, groupId],
    );
    return row?.level ?? Level.VISITOR;
  }

  /** Removes the record of an import that has ended. */
  async forgetImport(id: number): Promise<void> {
    await this.database.rows(
      `DELETE FROM project_imports WHERE project_id = $1 AND state IN ('finished', 'failed')`,
      [id],
    );
  }

  /** The visibility of the project that a fork was made from; undefined for what is no fork. */
  async sourceVisibility(id: number): Promise<number | undefined> {
    const [row] = await this.database.rows<{ level: number }>(
      `SELECT p.visibility_level AS level
         FROM fork_links f JOIN projects p ON p.id = f.forked_from_project_id
        WHERE f.forked_to_project_id = $1 AND p.deleted_at IS NULL`,
      [id],
    );
    return row?.level;
  }
}
