import { Injectable } from '@nestjs/common';
import { BatchedReads, Database } from '../../platform/database/index.js';
import { Level } from './levels.js';
import {
  type ProjectAccess,
  type ProjectRef,
  seesByVisibility,
  type Subject,
} from './project-access.js';
import type { ProjectIdentifier } from './project-path.js';
import { unexpired } from './sql.js';

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

interface Row extends ProjectRef {
  /** From 1, in the order of the questions. */
  position: number;
  level: number;
}

/** The highest of what open points 2.1 lists; aggregates of no rows are null, which is passed over. */
const EFFECTIVE_LEVEL = `
  greatest(
    CASE WHEN n.owner_id = q.user_id THEN ${String(Level.OWNER)} END,
    (SELECT m.access_level FROM project_members m
      WHERE m.project_id = p.id AND m.user_id = q.user_id AND ${unexpired('m.expires_at')}),
    (SELECT g.access_level FROM group_members g
      WHERE g.group_id = p.namespace_id AND g.user_id = q.user_id
        AND ${unexpired('g.expires_at')}),
    (SELECT max(least(l.group_access, g.access_level))
       FROM project_group_links l
       JOIN namespaces s ON s.id = l.group_id AND s.deleted_at IS NULL
       JOIN group_members g ON g.group_id = s.id AND g.user_id = q.user_id
      WHERE l.project_id = p.id AND NOT n.share_with_group_lock
        AND ${unexpired('l.expires_at')} AND ${unexpired('g.expires_at')}),
    ${String(Level.VISITOR)})`;

const SELECT = `
  SELECT q.position::int, p.id, p.name, p.path, p.namespace_id AS "namespaceId",
         n.path AS "namespacePath", p.visibility_level AS "visibilityLevel", p.archived, p.storage,
         p.repository_state AS "repositoryState", p.default_branch AS "defaultBranch",
         p.issues_enabled AS "issuesEnabled", p.merge_requests_enabled AS "mergeRequestsEnabled",
         ${EFFECTIVE_LEVEL} AS level`;

const BY_ID = `${SELECT}
    FROM unnest($1::int[], $2::int[]) WITH ORDINALITY AS q (user_id, project_id, position)
    JOIN projects p ON p.id = q.project_id AND p.deleted_at IS NULL
    JOIN namespaces n ON n.id = p.namespace_id AND n.deleted_at IS NULL`;

const BY_PATH = `${SELECT}
    FROM unnest($1::int[], $2::text[], $3::text[])
         WITH ORDINALITY AS q (user_id, namespace, path, position)
    JOIN namespaces n ON lower(n.path) = lower(q.namespace) AND n.deleted_at IS NULL
    JOIN projects p ON p.namespace_id = n.id AND lower(p.path) = lower(q.path)
                   AND p.deleted_at IS NULL`;

/**
 * Resolves callers on projects; requests that come together share a statement. Reads tables of upper
 * rooms, by SQL only.
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

  /** Null when there is no such project; whether the caller may see it is the caller's business. */
  async find(subject: Subject, identifier: ProjectIdentifier): Promise<ProjectAccess | null> {
    const access = await ('id' in identifier
      ? this.ofIds.ask({ subject, ...identifier })
      : this.ofPaths.ask({ subject, ...identifier }));
    // Pushes note in it what they made the default branch.
    return access && { ...access, project: { ...access.project } };
  }

  /** Those of several that are there, by ID, with one statement. */
  async findByIds(
    subject: Subject,
    ids: readonly number[],
  ): Promise<ReadonlyMap<number, ProjectAccess>> {
    const asked = [...new Set(ids)].map((id) => ({ subject, id }));
    const found = await this.byIds(asked);
    return new Map(found.flatMap((access) => (access ? [[access.project.id, access]] : [])));
  }

  /** Those of several that are there, by full path in lower case, with one statement. */
  async findByPaths(
    subject: Subject,
    paths: readonly { namespace: string; path: string }[],
  ): Promise<ReadonlyMap<string, ProjectAccess>> {
    const found = await this.byPaths(paths.map((path) => ({ subject, ...path })));
    return new Map(found.flatMap((access) => (access ? [[fullPath(access), access]] : [])));
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
    const found = new Map(rows.map(({ position, ...row }) => [position - 1, row]));
    return asked.map(({ subject }, index) => {
      const row = found.get(index);
      return row === undefined ? null : toAccess(row, subject);
    });
  }
}

const fullPath = ({ project }: ProjectAccess): string =>
  `${project.namespacePath}/${project.path}`.toLowerCase();

/** All of a subject that the answer depends on. */
function subjectKey(subject: Subject): string {
  return subject === null
    ? ''
    : `${String(subject.id)} ${String(subject.admin)} ${String(subject.external)}`;
}

function toAccess({ level, ...project }: Omit<Row, 'position'>, subject: Subject): ProjectAccess {
  return {
    project,
    level: subject?.admin === true ? Level.OWNER : level,
    visible: seesByVisibility(subject, project.visibilityLevel),
  };
}
