import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import {
  BatchedReads,
  Database,
  notDeleted,
  opaqueArray,
  rowById,
  rowsByIds,
  rowsByKey,
  UNKNOWN_ID,
} from '../../../platform/database/index.js';
import {
  Level,
  projectByPath,
  unexpired,
  type Visibility,
  visibilityOf,
} from '../../authorization/index.js';
import { ErasesAccountData } from '../../users/index.js';
import { MAINTAINED, type MaintainedProject } from './maintained-projects.query.js';
import { Project, type RepositoryState } from './project.entity.js';

export type NewProject = Pick<
  Project,
  'namespaceId' | 'creatorId' | 'name' | 'path' | 'visibility' | 'runnersTokenSealed'
> &
  Partial<Project>;

/** The columns of a project that payloads contain. */
export interface PayloadProject {
  id: number;
  name: string;
  description: string | null;
  /** Path with the namespace's. */
  fullPath: string;
  /** The group's name, or the full name of the personal namespace's owner. */
  namespaceName: string;
  visibility: Visibility;
  defaultBranch: string | null;
  storage: string;
}

/** A part of FROM: the project with a name in a namespace, unless it is deleted. Parameters as in `rowsByKey`. */
const projectByName = (namespace: string, name: string): string =>
  rowsByKey(
    'projects',
    'projects.name',
    name,
    `projects.namespace_id = ${namespace} AND projects.deleted_at IS NULL`,
  );

/** Rows that one step of erasing an account changes or removes. */
const CHUNK = 500;

const WIKI_SUFFIX = /\.wiki$/i;

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
   * @returns whether the creator became a member and is not the namespace's owner
   */
  async addCreator({ id, creatorId, namespaceId }: Project): Promise<boolean> {
    const [row] = await this.database.rows<{ joined: boolean }>(
      `WITH personal AS (SELECT owner_id FROM namespaces WHERE id = $3 AND owner_id IS NOT NULL),
            added AS (INSERT INTO project_members (project_id, user_id, access_level)
                      SELECT $1, $2, ${String(Level.MASTER)} FROM personal)
       SELECT owner_id <> $2 AS joined FROM personal`,
      [id, creatorId, namespaceId],
    );
    return row?.joined === true;
  }

  /** Finds a project; concurrent calls share a statement. */
  findById(id: number): Promise<Project | null> {
    return this.byId.ask(id);
  }

  /** Finds the project with a path in a namespace, in any case. */
  async findByPath(namespaceId: number, path: string): Promise<Project | null> {
    const [project] = await this.database.entities(
      Project,
      'p',
      `FROM ${projectByPath('$1', '$2')} p`,
      [namespaceId, path],
    );
    return project ?? null;
  }

  /** Whether there is any project. */
  isAny(): Promise<boolean> {
    return this.database.of(Project).existsBy({ deletedAt: IsNull() });
  }

  /** Locks a project to the end of the unit of work; null when it is deleted. */
  async lock(id: number): Promise<Project | null> {
    const [project] = await this.database.entities(
      Project,
      'p',
      `FROM projects p WHERE p.id = $1 AND ${notDeleted('p')} FOR NO KEY UPDATE`,
      [id],
    );
    return project ?? null;
  }

  /** Updates the given columns and `updated_at`. */
  async update(id: number, changes: Partial<Project>): Promise<void> {
    await this.database.of(Project).update({ id }, { ...changes, updatedAt: () => 'now()' });
  }

  /** @returns false when the project is in that state already */
  async setArchived(id: number, archived: boolean): Promise<boolean> {
    const rows = await this.database.rows(
      `UPDATE projects SET archived = $2, updated_at = now()
        WHERE id = $1 AND archived <> $2 AND ${notDeleted()} RETURNING 1`,
      [id, archived],
    );
    return rows.length > 0;
  }

  /** Returns those of the IDs that belong to a project, deleted ones included. */
  async findExistingIds(ids: readonly number[]): Promise<Set<number>> {
    const rows = await this.database.rows<{ id: number }>(
      `SELECT id FROM ${rowsByIds('projects', '$1::int[]')} p`,
      [ids],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Lists projects that are not deleted in the order of their IDs. */
  listMaintained(afterId: number, limit: number): Promise<MaintainedProject[]> {
    return this.database.rows<MaintainedProject>(
      `${MAINTAINED} AND p.id > $1 ORDER BY p.id LIMIT $2`,
      [afterId, limit],
    );
  }

  /** Counts the projects that are not deleted. */
  async countMaintained(): Promise<number> {
    const [row] = await this.database.rows<{ count: number }>(
      'SELECT count(*)::int AS count FROM projects WHERE deleted_at IS NULL',
    );
    return row?.count ?? 0;
  }

  /** Finds a project by its ID or by its path with that of its namespace. */
  async findMaintained(idOrPath: string): Promise<MaintainedProject | null> {
    const isId = /^[1-9]\d{0,8}$/.test(idOrPath);
    const isNamed = isId ? 'p.id = $1' : 'lower(n.path) = lower($1) AND lower(p.path) = lower($2)';
    const names = isId ? [idOrPath] : idOrPath.split('/');
    if (!isId && names.length !== 2) return null;
    const [project] = await this.database.rows<MaintainedProject>(
      `${MAINTAINED} AND ${isNamed}`,
      names,
    );
    return project ?? null;
  }

  /**
   * Finds out whether name and path are taken by other projects of a namespace, in any case. The path of
   * another project's wiki is taken, too.
   * @param texts.id the ID of the project itself, if it exists already
   */
  async findTaken(
    namespaceId: number,
    { id, name, path }: { id?: number; name?: string | undefined; path?: string | undefined },
  ): Promise<{ name: boolean; path: boolean }> {
    const paths = path === undefined ? [] : [path, path.replace(WIKI_SUFFIX, '')];
    const distinct = [...new Set(paths.map((each) => each.toLowerCase()))];
    const [row] = await this.database.rows<{ name: boolean; path: boolean }>(
      `SELECT EXISTS (
                SELECT 1 FROM ${projectByName('$1', '$2')} p
                 WHERE p.id <> $4) AS name,
              EXISTS (
                SELECT 1 FROM unnest($3::text[]) AS wanted (path)
                 CROSS JOIN ${projectByPath('$1', 'wanted.path')} p
                 WHERE p.id <> $4) AS path`,
      [namespaceId, name ?? null, distinct, id ?? UNKNOWN_ID],
    );
    return row ?? { name: false, path: false };
  }

  /** Finds the level of a direct membership in a group; `Level.VISITOR` without one. */
  async findGroupLevel(userId: number, groupId: number): Promise<number> {
    const [row] = await this.database.rows<{ level: number }>(
      `SELECT access_level AS level FROM group_members g
        WHERE g.user_id = $1 AND g.group_id = $2 AND ${unexpired('g.expires_at')}`,
      [userId, groupId],
    );
    return row?.level ?? Level.VISITOR;
  }

  /** Finds the visibility of the source of a fork; undefined when the project is not a fork. */
  async findSourceVisibility(forkId: number): Promise<Visibility | undefined> {
    const [row] = await this.database.rows<{ visibility: Visibility }>(
      `SELECT ${visibilityOf('p')} AS visibility
         FROM fork_links f
         JOIN ${rowById('projects', 'f.forked_from_project_id')} p ON p.deleted_at IS NULL
        WHERE f.forked_to_project_id = $1`,
      [forkId],
    );
    return row?.visibility;
  }

  /** Loads what payloads contain of projects, deleted ones included, by ID. */
  async findForPayloads(ids: readonly number[]): Promise<ReadonlyMap<number, PayloadProject>> {
    if (ids.length === 0) return new Map();
    const rows = await this.database.rows<PayloadProject>(
      `SELECT p.id, p.name, p.description, n.path || '/' || p.path AS "fullPath",
              coalesce(u.name, n.name) AS "namespaceName", ${visibilityOf('p')} AS visibility,
              p.default_branch AS "defaultBranch", p.storage
         FROM ${rowsByIds('projects', opaqueArray('$1', 'int'))} p
         JOIN ${rowById('namespaces', 'p.namespace_id')} n ON true
         LEFT JOIN ${rowById('users', 'n.owner_id')} u ON true`,
      [[...new Set(ids)]],
    );
    return new Map(rows.map((project) => [project.id, project]));
  }

  /** Finds the state of a project's repository; null when the project is deleted. */
  async findRepositoryState(projectId: number): Promise<RepositoryState | null> {
    const [row] = await this.database.rows<{ state: RepositoryState }>(
      `SELECT repository_state AS state FROM projects WHERE id = $1 AND ${notDeleted()}`,
      [projectId],
    );
    return row?.state ?? null;
  }

  /**
   * Marks a repository as ready.
   * @param from the state that ends
   * @returns false when the repository was in another state, or the project is deleted
   */
  async markRepositoryReady(projectId: number, from: RepositoryState): Promise<boolean> {
    const rows = await this.database.rows(
      `UPDATE projects SET repository_state = 'ready', refs_version = refs_version + 1
        WHERE id = $1 AND repository_state = $2 AND ${notDeleted()}
       RETURNING id`,
      [projectId, from],
    );
    return rows.length > 0;
  }

  /**
   * Attributes some projects that a deleted account created to the ghost: deleted projects too, whose rows still
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

  /**
   * Adds a star. The account's row stays locked, so that no star is added after the erasure of the account.
   * @returns false when the star exists already
   */
  async addStar(projectId: number, userId: number): Promise<boolean> {
    const rows = await this.database.rows(
      `INSERT INTO project_stars (project_id, user_id)
       SELECT $1, id FROM users WHERE id = $2 AND ${notDeleted()} FOR SHARE
       ON CONFLICT DO NOTHING RETURNING project_id`,
      [projectId, userId],
    );
    return rows.length > 0;
  }

  /** Removes a star. @returns false when there is none */
  async removeStar(projectId: number, userId: number): Promise<boolean> {
    const rows = await this.database.rows(
      'DELETE FROM project_stars WHERE project_id = $1 AND user_id = $2 RETURNING project_id',
      [projectId, userId],
    );
    return rows.length > 0;
  }

  /** Updates the number of stars. @returns false when the project is deleted */
  async changeStarCount(projectId: number, change: 1 | -1): Promise<boolean> {
    const rows = await this.database.rows(
      `UPDATE projects SET star_count = star_count + $2
        WHERE id = $1 AND ${notDeleted()} RETURNING id`,
      [projectId, change],
    );
    return rows.length > 0;
  }

  /** Removes some stars of a deleted account. @returns whether there may be more */
  @ErasesAccountData()
  async removeSomeStarsOf(userId: number): Promise<boolean> {
    const rows = await this.database.rows<{ projectId: number }>(
      `DELETE FROM project_stars WHERE user_id = $1 AND project_id IN (
         SELECT project_id FROM project_stars WHERE user_id = $1 ORDER BY project_id LIMIT $2)
       RETURNING project_id AS "projectId"`,
      [userId, CHUNK],
    );
    await this.database.rows(
      'UPDATE projects SET star_count = star_count - 1 WHERE id = ANY($1::int[])',
      [rows.map(({ projectId }) => projectId)],
    );
    return rows.length === CHUNK;
  }

  private async findByIds(ids: readonly number[]): Promise<(Project | null)[]> {
    const found = await this.database.entities(
      Project,
      'p',
      `FROM ${rowsByIds('projects', '$1::int[]')} p WHERE p.deleted_at IS NULL`,
      [ids],
    );
    const projects = new Map(found.map((project) => [project.id, project]));
    return ids.map((id) => projects.get(id) ?? null);
  }
}
