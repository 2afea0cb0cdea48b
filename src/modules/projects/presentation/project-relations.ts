import { Injectable } from '@nestjs/common';
import { BatchedReads, Database } from '../../../platform/database/index.js';
import { type Subject, Visibility, visibleLevels } from '../../access/index.js';
import { Namespace } from '../../groups/index.js';
import { User } from '../../users/index.js';
import { Project } from '../model/project.entity.js';
import {
  BRIEF_PROJECTS,
  listedProjects,
  namespaceOwners,
  OWNER_COLUMNS,
  type ProjectColumns,
  type ProjectOwner,
  RELATIONS_OF_READERS,
} from './project-relations.sql.js';

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
  owner: ProjectOwner | null;
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
  owner: ProjectOwner | null;
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
 * Loads the relations that project responses embed: those of a list with the projects, with one statement; those of
 * single projects with two, which concurrent requests share.
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

  private known: ProjectColumns | undefined;

  constructor(private readonly database: Database) {}

  /** @returns null when the project is being removed */
  async loadOne(project: Project, options: RelationsOptions): Promise<ProjectWithRelations | null> {
    const namespaceOwner = await this.namespaces.ask(project.namespaceId);
    const relations = await this.relations.ask({ projectId: project.id, reader: options.reader });
    return namespaceOwner && withRelations(project, namespaceOwner, relations, options);
  }

  /**
   * Loads projects by ID with their relations, in the given order, with one statement; leaves out those that were
   * deleted meanwhile.
   */
  async load(
    projectIds: readonly number[],
    options: RelationsOptions,
  ): Promise<ProjectWithRelations[]> {
    if (projectIds.length === 0) return [];
    const { id, leastVisible } = readerValues(options.reader);
    const columns = this.columns();
    const rows = await this.database.rows<Relations & Record<string, unknown>>(
      listedProjects(columns),
      [projectIds, id, leastVisible],
    );
    return rows.map((row) =>
      withRelations(
        columns.projects.read(row, 'project.'),
        readNamespaceOwner(columns, row),
        row,
        options,
      ),
    );
  }

  /** Loads the short forms of projects, with one statement. */
  async loadBrief(ids: readonly number[]): Promise<ReadonlyMap<number, BriefProject>> {
    const rows = await this.database.rows<BriefProject>(BRIEF_PROJECTS, [[...new Set(ids)]]);
    return new Map(rows.map((project) => [project.id, project]));
  }

  private async loadNamespaces(ids: readonly number[]): Promise<(NamespaceOwner | null)[]> {
    const columns = this.columns();
    const sql = namespaceOwners(columns);
    const rows = await this.database.rows<Record<string, unknown>>(sql, [ids]);
    const byId = new Map(
      rows.map((row) => [row['namespace.id'], readNamespaceOwner(columns, row)]),
    );
    return ids.map((id) => byId.get(id) ?? null);
  }

  private columns(): ProjectColumns {
    this.known ??= {
      projects: this.database.columns(Project),
      namespaces: this.database.columns(Namespace),
      owners: this.database.columns(User).only(OWNER_COLUMNS),
    };
    return this.known;
  }

  private loadRelations(keys: readonly RelationsKey[]): Promise<Relations[]> {
    const readers = keys.map(({ reader }) => readerValues(reader));
    return this.database.rows<Relations>(RELATIONS_OF_READERS, [
      keys.map(({ projectId }) => projectId),
      readers.map(({ id }) => id),
      readers.map(({ leastVisible }) => leastVisible),
    ]);
  }
}

function readNamespaceOwner(
  { namespaces, owners }: ProjectColumns,
  row: Readonly<Record<string, unknown>>,
): NamespaceOwner {
  return {
    namespace: namespaces.read(row, 'namespace.'),
    owner: row['owner.id'] === null ? null : owners.read(row, 'owner.'),
  };
}

/** Returns everything about a reader that relations depend on. */
export function readerValues(reader: Subject): { id: number | null; leastVisible: number } {
  const shown = reader?.admin === true ? [Visibility.PRIVATE] : visibleLevels(reader);
  return { id: reader?.id ?? null, leastVisible: Math.min(...shown) };
}

function withRelations(
  project: Project,
  { namespace, owner }: NamespaceOwner,
  relations: Relations,
  { reader, withPermissions = false }: RelationsOptions,
): ProjectWithRelations {
  const { sharedWith, forkedFrom, openIssuesCount } = relations;
  const permissions = { project: relations.projectMembership, group: relations.groupMembership };
  return {
    ...{ project, namespace, owner, sharedWith, forkedFrom, openIssuesCount },
    ...(withPermissions && reader !== null ? { permissions } : {}),
  };
}
