import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import { Page } from '../../platform/http/index.js';
import { memberProjectIds, type Subject, unexpired, visibleLevels } from '../access/index.js';
import { Namespace } from '../groups/index.js';
import { type User, UsersRepository } from '../users/index.js';
import { OpenIssues } from './open-issues.js';
import type { Project } from './project.entity.js';

/** Level and notification level of a direct membership. */
export interface Membership {
  accessLevel: number;
  notificationLevel: number;
}

/** A group that a project is shared with. */
export interface SharedGroup {
  groupId: number;
  groupName: string;
  groupAccess: number;
}

/** What the short form of a project tells. */
export interface BriefProject {
  id: number;
  name: string;
  path: string;
  namespacePath: string;
  /** The group's name, or the full name of the personal namespace's owner. */
  namespaceName: string;
}

/** A project with the records that its answer embeds. */
export interface ProjectWithParts {
  project: Project;
  namespace: Namespace;
  /** Null in a group's namespace. */
  owner: User | null;
  sharedWith: readonly SharedGroup[];
  /** Null for what is no fork, and where the reader may not see the source. */
  forkedFrom: BriefProject | null;
  /** As far as the reader may know of them. */
  openIssuesCount: number;
  /** The reader's direct memberships; undefined leaves `permissions` out of the answer. */
  permissions?: { project: Membership | null; group: Membership | null };
}

export interface PartsOptions {
  /** Who is going to see the answer; null is anonymous. */
  reader: Subject;
  /** Whether to load the reader's memberships for `permissions` (open points 4.1). */
  withPermissions?: boolean;
}

const BRIEF = `
  p.id, p.name, p.path, n.path AS "namespacePath", coalesce(u.name, n.name) AS "namespaceName"`;

/** Loads what the answers of projects embed: one statement for each kind of it, however many there are. */
@Injectable()
export class ProjectParts {
  constructor(
    private readonly database: Database,
    private readonly users: UsersRepository,
    private readonly openIssues: OpenIssues,
  ) {}

  /** In the order given; projects that are being removed at this very moment are left out. */
  async of(projects: readonly Project[], options: PartsOptions): Promise<ProjectWithParts[]> {
    if (projects.length === 0) return [];
    const { reader, withPermissions = false } = options;
    const ids = projects.map(({ id }) => id);
    const namespaces = await this.namespacesOf(projects);
    const owners = await this.ownersOf([...namespaces.values()]);
    const sharedWith = await this.sharesOf(ids);
    const sources = await this.sourcesOf(ids, reader);
    const openIssues = await this.openIssues.of(ids, reader);
    const permissions =
      withPermissions && reader !== null ? await this.permissionsOf(projects, reader.id) : null;
    return projects.flatMap((project) => {
      const namespace = namespaces.get(project.namespaceId);
      if (namespace === undefined) return [];
      return {
        project,
        namespace,
        owner: owners.get(namespace.ownerId ?? 0) ?? null,
        sharedWith: sharedWith.get(project.id) ?? [],
        forkedFrom: sources.get(project.id) ?? null,
        openIssuesCount: openIssues.get(project.id) ?? 0,
        ...(permissions === null ? {} : { permissions: permissions(project) }),
      };
    });
  }

  /** The short forms of projects, with one statement. */
  async briefly(ids: readonly number[]): Promise<ReadonlyMap<number, BriefProject>> {
    const rows = await this.database.rows<BriefProject>(
      `SELECT ${BRIEF} FROM projects p
         JOIN namespaces n ON n.id = p.namespace_id
         LEFT JOIN users u ON u.id = n.owner_id
        WHERE p.id = ANY($1::int[])`,
      [[...new Set(ids)]],
    );
    return byId(rows);
  }

  /** A page of projects with their parts. */
  async ofPage(page: Page<Project>, options: PartsOptions): Promise<Page<ProjectWithParts>> {
    const items = await this.of(page.items, options);
    return new Page(items, page.total, page.page, page.perPage, page.hasNext);
  }

  private async namespacesOf(projects: readonly Project[]): Promise<Map<number, Namespace>> {
    const namespaces = await this.database
      .of(Namespace)
      .createQueryBuilder('namespace')
      .where('namespace.id = ANY(:ids)', {
        ids: [...new Set(projects.map(({ namespaceId }) => namespaceId))],
      })
      .getMany();
    return byId(namespaces);
  }

  private async ownersOf(namespaces: readonly Namespace[]): Promise<Map<number, User>> {
    const ids = namespaces.flatMap(({ ownerId }) => ownerId ?? []);
    return ids.length === 0 ? new Map() : byId(await this.users.findByIds(ids));
  }

  private async sharesOf(ids: readonly number[]): Promise<Map<number, SharedGroup[]>> {
    const rows = await this.database.rows<SharedGroup & { projectId: number }>(
      `SELECT l.project_id AS "projectId", l.group_id AS "groupId", n.name AS "groupName",
              l.group_access AS "groupAccess"
         FROM project_group_links l JOIN namespaces n ON n.id = l.group_id
        WHERE l.project_id = ANY($1::int[]) AND n.deleted_at IS NULL
          AND ${unexpired('l.expires_at')}
        ORDER BY l.id`,
      [ids],
    );
    const shares = new Map<number, SharedGroup[]>();
    for (const { projectId, ...share } of rows) {
      shares.set(projectId, [...(shares.get(projectId) ?? []), share]);
    }
    return shares;
  }

  private async sourcesOf(
    ids: readonly number[],
    reader: Subject,
  ): Promise<Map<number, BriefProject>> {
    const rows = await this.database.rows<BriefProject & { forkId: number }>(
      `SELECT f.forked_to_project_id AS "forkId", ${BRIEF}
         FROM fork_links f
         JOIN projects p ON p.id = f.forked_from_project_id
         JOIN namespaces n ON n.id = p.namespace_id
         LEFT JOIN users u ON u.id = n.owner_id
        WHERE f.forked_to_project_id = ANY($1::int[])
          AND p.deleted_at IS NULL AND n.deleted_at IS NULL
          AND ($2 OR p.visibility_level = ANY($3::int[]) OR p.id IN (${memberProjectIds('$4')}))`,
      [ids, reader?.admin === true, visibleLevels(reader), reader?.id ?? null],
    );
    return new Map(rows.map(({ forkId, ...source }) => [forkId, source]));
  }

  private async permissionsOf(projects: readonly Project[], userId: number) {
    const project = await this.memberships('project_members', 'project_id', userId, [
      ...new Set(projects.map(({ id }) => id)),
    ]);
    const group = await this.memberships('group_members', 'group_id', userId, [
      ...new Set(projects.map(({ namespaceId }) => namespaceId)),
    ]);
    return ({ id, namespaceId }: Project) => ({
      project: project.get(id) ?? null,
      group: group.get(namespaceId) ?? null,
    });
  }

  private async memberships(
    table: 'project_members' | 'group_members',
    column: 'project_id' | 'group_id',
    userId: number,
    ids: readonly number[],
  ): Promise<Map<number, Membership>> {
    const rows = await this.database.rows<Membership & { sourceId: number }>(
      `SELECT m.${column} AS "sourceId", m.access_level AS "accessLevel",
              m.notification_level AS "notificationLevel"
         FROM ${table} m
        WHERE m.user_id = $1 AND m.${column} = ANY($2::int[]) AND ${unexpired('m.expires_at')}`,
      [userId, ids],
    );
    return new Map(rows.map(({ sourceId, ...membership }) => [sourceId, membership]));
  }
}

function byId<Record extends { id: number }>(records: readonly Record[]): Map<number, Record> {
  return new Map(records.map((record) => [record.id, record]));
}
