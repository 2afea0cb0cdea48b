import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import { Level } from './levels.js';
import {
  type ProjectAccess,
  type ProjectRef,
  seesByVisibility,
  type Subject,
} from './project-access.js';
import type { ProjectIdentifier } from './project-path.js';
import { unexpired } from './sql.js';

interface Row extends ProjectRef {
  level: number;
}

/** The highest of what open points 2.1 lists; aggregates of no rows are null, which is passed over. */
const EFFECTIVE_LEVEL = `
  greatest(
    CASE WHEN n.owner_id = $1 THEN ${String(Level.OWNER)} END,
    (SELECT m.access_level FROM project_members m
      WHERE m.project_id = p.id AND m.user_id = $1 AND ${unexpired('m.expires_at')}),
    (SELECT g.access_level FROM group_members g
      WHERE g.group_id = p.namespace_id AND g.user_id = $1 AND ${unexpired('g.expires_at')}),
    (SELECT max(least(l.group_access, g.access_level))
       FROM project_group_links l
       JOIN namespaces s ON s.id = l.group_id AND s.deleted_at IS NULL
       JOIN group_members g ON g.group_id = s.id AND g.user_id = $1
      WHERE l.project_id = p.id AND NOT n.share_with_group_lock
        AND ${unexpired('l.expires_at')} AND ${unexpired('g.expires_at')}),
    ${String(Level.VISITOR)})`;

const SELECT = `
  SELECT p.id, p.name, p.path, p.namespace_id AS "namespaceId", n.path AS "namespacePath",
         p.visibility_level AS "visibilityLevel", p.archived, p.storage,
         p.repository_state AS "repositoryState", p.default_branch AS "defaultBranch",
         p.issues_enabled AS "issuesEnabled", p.merge_requests_enabled AS "mergeRequestsEnabled",
         ${EFFECTIVE_LEVEL} AS level
    FROM projects p JOIN namespaces n ON n.id = p.namespace_id
   WHERE p.deleted_at IS NULL AND n.deleted_at IS NULL AND`;

/** Resolves a caller on a project with one statement. Reads tables of upper rooms, by SQL only. */
@Injectable()
export class ProjectAccessRepository {
  constructor(private readonly database: Database) {}

  /** Null when there is no such project; whether the caller may see it is the caller's business. */
  async find(subject: Subject, identifier: ProjectIdentifier): Promise<ProjectAccess | null> {
    const [condition, parameters] =
      'id' in identifier
        ? ['p.id = $2', [identifier.id]]
        : [
            'lower(n.path) = lower($2) AND lower(p.path) = lower($3)',
            [identifier.namespace, identifier.path],
          ];
    const [row] = await this.database.rows<Row>(`${SELECT} ${condition}`, [
      subject?.id ?? null,
      ...parameters,
    ]);
    return row === undefined ? null : toAccess(row, subject);
  }

  /** Those of several that are there, by ID, with one statement. */
  async findByIds(
    subject: Subject,
    ids: readonly number[],
  ): Promise<ReadonlyMap<number, ProjectAccess>> {
    const rows = await this.database.rows<Row>(`${SELECT} p.id = ANY($2::int[])`, [
      subject?.id ?? null,
      ids,
    ]);
    return new Map(rows.map((row) => [row.id, toAccess(row, subject)]));
  }

  /** Those of several that are there, by full path in lower case, with one statement. */
  async findByPaths(
    subject: Subject,
    paths: readonly { namespace: string; path: string }[],
  ): Promise<ReadonlyMap<string, ProjectAccess>> {
    const rows = await this.database.rows<Row>(
      `${SELECT} (lower(n.path), lower(p.path)) IN (
         SELECT lower(wanted.namespace), lower(wanted.path)
           FROM unnest($2::text[], $3::text[]) AS wanted (namespace, path))`,
      [subject?.id ?? null, paths.map((one) => one.namespace), paths.map((one) => one.path)],
    );
    return new Map(
      rows.map((row) => [`${row.namespacePath}/${row.path}`.toLowerCase(), toAccess(row, subject)]),
    );
  }
}

function toAccess({ level, ...project }: Row, subject: Subject): ProjectAccess {
  return {
    project,
    level: subject?.admin === true ? Level.OWNER : level,
    visible: seesByVisibility(subject, project.visibilityLevel),
  };
}
