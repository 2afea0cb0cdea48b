import { Injectable } from '@nestjs/common';
import {
  BatchedReads,
  Database,
  notDeleted,
  opaqueArray,
  rowById,
} from '../../../platform/database/index.js';
import {
  allows,
  canSee,
  parseProjectIdentifier,
  type ProjectAccess,
  type ProjectIdentifier,
  type ProjectRef,
  seesByVisibility,
  type Subject,
} from '../effective-access.js';
import { levelOnProject, namespaceByPath, projectByPath, visibilityOf } from './memberships.sql.js';
import { type Ability, Level } from '../permissions.js';

/** Not EXISTS, for which PostgreSQL may read the rows of all projects first. */
const hasAny = (table: string): string => `
  coalesce((SELECT true FROM ${table} one WHERE one.project_id = p.id LIMIT 1), false)`;

/**
 * The columns of a statement that resolves the access of users to projects. It has projects under the alias
 * `p`, their namespaces under `n`, and in `q.user_id` the user, null for an anonymous one.
 */
export const PROJECT_ACCESS = `
  p.id, p.name, p.path, p.namespace_id AS "namespaceId", n.path AS "namespacePath",
  ${visibilityOf('p')} AS visibility, p.archived, p.storage,
  p.repository_state AS "repositoryState", p.refs_version AS "refsVersion",
  p.default_branch AS "defaultBranch",
  p.issues_enabled AS "issuesEnabled", p.merge_requests_enabled AS "mergeRequestsEnabled",
  ${hasAny('commit_statuses')} AS "hasStatuses", ${hasAny('hooks')} AS "hasHooks",
  ${levelOnProject('p', 'n', 'q.user_id')} AS level`;

/** A row of these columns. */
export interface ProjectRow extends ProjectRef {
  level: number;
}

/**
 * Converts a row, which may have further columns.
 * @param subject the user of the row
 */
export function toProjectAccess(row: ProjectRow, subject: Subject): ProjectAccess {
  return {
    project: {
      id: row.id,
      name: row.name,
      path: row.path,
      namespaceId: row.namespaceId,
      namespacePath: row.namespacePath,
      visibility: row.visibility,
      archived: row.archived,
      storage: row.storage,
      repositoryState: row.repositoryState,
      refsVersion: row.refsVersion,
      defaultBranch: row.defaultBranch,
      issuesEnabled: row.issuesEnabled,
      mergeRequestsEnabled: row.mergeRequestsEnabled,
      hasStatuses: row.hasStatuses,
      hasHooks: row.hasHooks,
    },
    level: subject?.admin === true ? Level.OWNER : row.level,
    visible: seesByVisibility(subject, row.visibility),
  };
}

interface Asked {
  readonly subject: Subject;
}

interface AskedById extends Asked {
  readonly id: number;
}

interface AskedByPath extends Asked {
  readonly namespace: string;
  readonly path: string;
}

/** A row of the statements below. */
interface Row extends ProjectRow {
  /** From 1, in the order of the questions. */
  position: number;
}

const SELECT = `SELECT q.position::int, ${PROJECT_ACCESS}`;

const BY_ID = `${SELECT}
    FROM unnest(${opaqueArray('$1', 'int')}, ${opaqueArray('$2', 'int')})
         WITH ORDINALITY AS q (user_id, project_id, position)
    JOIN ${rowById('projects', 'q.project_id')} p ON p.deleted_at IS NULL
    JOIN ${rowById('namespaces', 'p.namespace_id')} n ON n.deleted_at IS NULL`;

const BY_PATH = `${SELECT}
    FROM unnest(${opaqueArray('$1', 'int')}, ${opaqueArray('$2', 'text')},
                ${opaqueArray('$3', 'text')})
         WITH ORDINALITY AS q (user_id, namespace, path, position)
   CROSS JOIN ${namespaceByPath('q.namespace')} n
   CROSS JOIN ${projectByPath('n.id', 'q.path')} p`;

const LEVELS_OF_USERS = `
  SELECT u.id, u.admin, u.external, ${levelOnProject('p', 'n', 'u.id')} AS level
    FROM ${rowById('projects', '$2')} p
   CROSS JOIN ${rowById('namespaces', 'p.namespace_id')} n
   CROSS JOIN unnest(${opaqueArray('$1', 'int')}) AS asked (id)
    JOIN ${rowById('users', 'asked.id')} u ON u.state = 'active' AND u.deleted_at IS NULL`;

interface LevelOfUser extends NonNullable<Subject> {
  level: number;
}

/** The access of one of several users to a project. */
interface ReaderAccess extends ProjectAccess {
  readonly subject: NonNullable<Subject>;
}

/**
 * Resolves the access of callers to projects, and of several users to one project. Requests that arrive
 * together share one statement. Reads tables of upper rooms by SQL only.
 */
@Injectable()
export class ProjectAccessRepository {
  private readonly ofIds = new BatchedReads<AskedById, ProjectAccess | null>({
    key: ({ subject, id }) => `${subjectKey(subject)} ${String(id)}`,
    answer: (asked) => this.byIds(asked),
  });

  private readonly ofPaths = new BatchedReads<AskedByPath, ProjectAccess | null>({
    key: ({ subject, namespace, path }) => `${subjectKey(subject)} ${namespace}/${path}`,
    answer: (asked) => this.byPaths(asked),
  });

  constructor(private readonly database: Database) {}

  /** Finds the access to a project, whether or not it is visible; null when there is no such project. */
  async find(subject: Subject, identifier: ProjectIdentifier): Promise<ProjectAccess | null> {
    const access = await ('id' in identifier
      ? this.ofIds.ask({ subject, ...identifier })
      : this.ofPaths.ask({ subject, ...identifier }));
    // A copy for each request: pushes write a new default branch into it.
    return access && { ...access, project: { ...access.project } };
  }

  /** Does the same for a reference of a client: an ID or a full path. */
  async findByReference(subject: Subject, reference: string): Promise<ProjectAccess | null> {
    const identifier = parseProjectIdentifier(reference);
    return identifier && this.find(subject, identifier);
  }

  /** Finds the access to several projects by ID, with one statement. */
  async findByIds(
    subject: Subject,
    ids: readonly number[],
  ): Promise<ReadonlyMap<number, ProjectAccess>> {
    const asked = [...new Set(ids)].map((id) => ({ subject, id }));
    const found = await this.byIds(asked);
    return new Map(found.flatMap((access) => (access ? [[access.project.id, access]] : [])));
  }

  /** Finds the access to several projects by full path in lower case, with one statement. */
  async findByPaths(
    subject: Subject,
    paths: readonly { namespace: string; path: string }[],
  ): Promise<ReadonlyMap<string, ProjectAccess>> {
    const found = await this.byPaths(paths.map((path) => ({ subject, ...path })));
    return new Map(found.flatMap((access) => (access ? [[fullPath(access), access]] : [])));
  }

  /**
   * Finds the access of those users who see a project, with one statement. Blocked and deleted users are left
   * out.
   */
  async findReaders(
    project: ProjectRef,
    userIds: readonly number[],
  ): Promise<ReadonlyMap<number, ReaderAccess>> {
    const rows = await this.database.rows<LevelOfUser>(LEVELS_OF_USERS, [userIds, project.id]);
    const accesses = rows.map(({ level, ...subject }): [number, ReaderAccess] => [
      subject.id,
      {
        subject,
        project,
        level: subject.admin ? Level.OWNER : level,
        visible: seesByVisibility(subject, project.visibility),
      },
    ]);
    return new Map(accesses.filter(([, access]) => canSee(access)));
  }

  /** Finds the IDs of those users who have an ability on a project. */
  async findUsersWithAbility(
    ability: Ability,
    project: ProjectRef,
    userIds: readonly number[],
  ): Promise<number[]> {
    const accesses = await this.findReaders(project, userIds);
    return [...accesses].filter(([, access]) => allows(access, ability)).map(([id]) => id);
  }

  /** Locks a project against removal to the end of the unit of work; false when it is deleted. */
  async hold(id: number): Promise<boolean> {
    const rows = await this.database.rows(
      `SELECT 1 FROM projects WHERE id = $1 AND ${notDeleted()} FOR KEY SHARE`,
      [id],
    );
    return rows.length > 0;
  }

  private byIds(asked: readonly AskedById[]): Promise<(ProjectAccess | null)[]> {
    return this.answer(asked, BY_ID, [asked.map(({ id }) => id)]);
  }

  private byPaths(asked: readonly AskedByPath[]): Promise<(ProjectAccess | null)[]> {
    const namespaces = asked.map(({ namespace }) => namespace);
    return this.answer(asked, BY_PATH, [namespaces, asked.map(({ path }) => path)]);
  }

  private async answer(
    asked: readonly Asked[],
    sql: string,
    names: readonly (readonly unknown[])[],
  ): Promise<(ProjectAccess | null)[]> {
    const users = asked.map(({ subject }) => subject?.id ?? null);
    const rows = await this.database.rows<Row>(sql, [users, ...names]);
    const found = new Map(rows.map((row) => [row.position, row]));
    return asked.map(({ subject }, index) => {
      const row = found.get(index + 1);
      return row === undefined ? null : toProjectAccess(row, subject);
    });
  }
}

const fullPath = ({ project }: ProjectAccess): string =>
  `${project.namespacePath}/${project.path}`.toLowerCase();

/** Everything about a subject that its access depends on. */
function subjectKey(subject: Subject): string {
  return subject === null
    ? ''
    : `${String(subject.id)} ${String(subject.admin)} ${String(subject.external)}`;
}
