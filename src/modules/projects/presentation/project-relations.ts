import { Injectable } from '@nestjs/common';
import { BatchedReads, Database } from '../../../platform/database/index.js';
import type { Page } from '../../../platform/pages/index.js';
import { type Subject, Visibility, visibleLevels } from '../../access/index.js';
import { Namespace } from '../../groups/index.js';
import { User } from '../../users/index.js';
import type { Project } from '../model/project.entity.js';
import { BRIEF_PROJECTS, namespaceOwners, RELATIONS } from './project-relations.sql.js';

/** The levels of a direct membership. */
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

/** The short form of a project. */
export interface BriefProject {
  id: number;
  name: string;
  path: string;
  namespacePath: string;
  /** The group's name, or the full name of the personal namespace's owner. */
  namespaceName: string;
}

/** A project with the relations that its response embeds. */
export interface ProjectWithRelations {
  project: Project;
  namespace: Namespace;
  /** Null in a group's namespace. */
  owner: User | null;
  sharedWith: readonly SharedGroup[];
  /** Null when the project is not a fork, or the reader may not see the source. */
  forkedFrom: BriefProject | null;
  /** Open issues that the reader may read (docs/reference/issues.md#confidential-issues). */
  openIssuesCount: number;
  /** The reader's direct memberships; undefined leaves `permissions` out of the response. */
  permissions?: { project: Membership | null; group: Membership | null };
}

export interface RelationsOptions {
  /** The account that gets the response; null is anonymous. */
  reader: Subject;
  /**
   * Whether to load the reader's memberships for `permissions`
   * (docs/reference/projects.md#the-project-object).
   */
  withPermissions?: boolean;
}

/** A namespace with the user whose personal namespace it is, null for a group. */
interface NamespaceOwner {
  namespace: Namespace;
  owner: User | null;
}

/** The relations of a project that one reader sees. */
interface Relations {
  sharedWith: readonly SharedGroup[];
  forkedFrom: BriefProject | null;
  projectMembership: Membership | null;
  groupMembership: Membership | null;
  openIssuesCount: number;
}

interface RelationsKey {
  projectId: number;
  reader: Subject;
}

/**
 * Loads the relations that project responses embed, with two statements per page. Concurrent requests for single
 * projects share them.
 */
@Injectable()
export class ProjectRelations {
  private readonly namespaces = new BatchedReads<number, NamespaceOwner | null>({
    key: (namespaceId) => namespaceId,
    answer: (ids) => this.loadNamespaces(ids),
  });

  private readonly relations = new BatchedReads<RelationsKey, Relations>({
    key: ({ projectId, reader }) => [projectId, ...Object.values(readerValues(reader))].join(' '),
    answer: (keys) => this.loadRelations(keys),
  });

  constructor(private readonly database: Database) {}

  /** @returns null when the project is being removed */
  async loadOne(project: Project, options: RelationsOptions): Promise<ProjectWithRelations | null> {
    const namespaceOwner = await this.namespaces.ask(project.namespaceId);
    const relations = await this.relations.ask({ projectId: project.id, reader: options.reader });
    return namespaceOwner && withRelations(project, namespaceOwner, relations, options);
  }

  /** Loads the relations of projects, in the given order; leaves out projects that are being removed. */
  async load(
    projects: readonly Project[],
    options: RelationsOptions,
  ): Promise<ProjectWithRelations[]> {
    if (projects.length === 0) return [];
    const { reader } = options;
    const namespaceIds = [...new Set(projects.map(({ namespaceId }) => namespaceId))];
    const namespaces = await this.loadNamespaces(namespaceIds);
    const byNamespace = new Map(namespaceIds.map((id, index) => [id, namespaces[index]]));
    const relations = await this.loadRelations(
      projects.map(({ id }) => ({ projectId: id, reader })),
    );
    return projects.flatMap((project, index) => {
      const namespaceOwner = byNamespace.get(project.namespaceId) ?? null;
      if (namespaceOwner === null) return [];
      return [withRelations(project, namespaceOwner, relations[index] as Relations, options)];
    });
  }

  /** Loads the relations of a page of projects. */
  async loadPage(
    page: Page<Project>,
    options: RelationsOptions,
  ): Promise<Page<ProjectWithRelations>> {
    return page.withItems(await this.load(page.items, options));
  }

  /** Loads the short forms of projects, with one statement. */
  async loadBrief(ids: readonly number[]): Promise<ReadonlyMap<number, BriefProject>> {
    const rows = await this.database.rows<BriefProject>(BRIEF_PROJECTS, [[...new Set(ids)]]);
    return new Map(rows.map((project) => [project.id, project]));
  }

  private async loadNamespaces(ids: readonly number[]): Promise<(NamespaceOwner | null)[]> {
    const namespaces = this.database.columns(Namespace);
    const users = this.database.columns(User);
    const sql = namespaceOwners(namespaces, users);
    const rows = await this.database.rows<Record<string, unknown>>(sql, [ids]);
    const byId = new Map(
      rows.map((row) => [
        row['namespace.id'],
        {
          namespace: namespaces.read(row, 'namespace.'),
          owner: row['owner.id'] === null ? null : users.read(row, 'owner.'),
        },
      ]),
    );
    return ids.map((id) => byId.get(id) ?? null);
  }

  private loadRelations(keys: readonly RelationsKey[]): Promise<Relations[]> {
    const readers = keys.map(({ reader }) => readerValues(reader));
    return this.database.rows<Relations>(RELATIONS, [
      keys.map(({ projectId }) => projectId),
      readers.map(({ id }) => id),
      readers.map(({ leastVisible }) => leastVisible),
    ]);
  }
}

/** Returns everything about a reader that relations depend on. */
function readerValues(reader: Subject): { id: number | null; leastVisible: number } {
  const shown = reader?.admin === true ? [Visibility.PRIVATE] : visibleLevels(reader);
  return { id: reader?.id ?? null, leastVisible: Math.min(...shown) };
}

function withRelations(
  project: Project,
  { namespace, owner }: NamespaceOwner,
  { projectMembership, groupMembership, ...relations }: Relations,
  { reader, withPermissions = false }: RelationsOptions,
): ProjectWithRelations {
  const permissions = { project: projectMembership, group: groupMembership };
  return {
    ...{ project, namespace, owner, ...relations },
    ...(withPermissions && reader !== null ? { permissions } : {}),
  };
}
