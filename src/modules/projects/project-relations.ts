import { Injectable } from '@nestjs/common';
import { BatchedReads, Database } from '../../platform/database/index.js';
import type { Page } from '../../platform/http/index.js';
import { type Subject, Visibility, visibleLevels } from '../access/index.js';
import { Namespace } from '../groups/index.js';
import { User } from '../users/index.js';
import { ATTACHMENTS } from './project-attachments.sql.js';
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
  /** Null for what is no fork, and where the reader may not see the source. */
  forkedFrom: BriefProject | null;
  /** As far as the reader may know of them (docs/reference/issues.md#confidential-issues). */
  openIssuesCount: number;
  /** The reader's direct memberships; undefined leaves `permissions` out of the answer. */
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

const BRIEFLY = `
  SELECT p.id, p.name, p.path, n.path AS "namespacePath", coalesce(u.name, n.name) AS "namespaceName"
    FROM projects p
    JOIN namespaces n ON n.id = p.namespace_id
    LEFT JOIN users u ON u.id = n.owner_id
   WHERE p.id = ANY($1::int[])`;

/** The namespace of a project with its owner, who is null in a group's namespace. */
interface NamespaceOwner {
  namespace: Namespace;
  owner: User | null;
}

/** What hangs on one project, as far as one reader sees it. */
interface Attachments {
  sharedWith: readonly SharedGroup[];
  forkedFrom: BriefProject | null;
  projectMembership: Membership | null;
  groupMembership: Membership | null;
  openIssuesCount: number;
}

interface AskedAttachments {
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
    answer: (ids) => this.namespacesOf(ids),
  });

  private readonly attachments = new BatchedReads<AskedAttachments, Attachments>({
    key: ({ projectId, reader }) => [projectId, ...Object.values(readerOf(reader))].join(' '),
    answer: (asked) => this.attachmentsOf(asked),
  });

  constructor(private readonly database: Database) {}

  /** @returns null when the project is being removed */
  async loadOne(project: Project, options: RelationsOptions): Promise<ProjectWithRelations | null> {
    const namespaceOwner = await this.namespaces.ask(project.namespaceId);
    const attached = await this.attachments.ask({ projectId: project.id, reader: options.reader });
    return namespaceOwner && assembled(project, namespaceOwner, attached, options);
  }

  /** Loads the relations of projects, in the given order; leaves out projects that are being removed. */
  async load(
    projects: readonly Project[],
    options: RelationsOptions,
  ): Promise<ProjectWithRelations[]> {
    if (projects.length === 0) return [];
    const { reader } = options;
    const namespaceIds = [...new Set(projects.map(({ namespaceId }) => namespaceId))];
    const namespaces = await this.namespacesOf(namespaceIds);
    const byNamespace = new Map(namespaceIds.map((id, index) => [id, namespaces[index]]));
    const asked = projects.map(({ id }) => ({ projectId: id, reader }));
    const attachments = await this.attachmentsOf(asked);
    return projects.flatMap((project, index) => {
      const namespaceOwner = byNamespace.get(project.namespaceId) ?? null;
      if (namespaceOwner === null) return [];
      return [assembled(project, namespaceOwner, attachments[index] as Attachments, options)];
    });
  }

  /** Loads the short forms of projects, with one statement. */
  async briefly(ids: readonly number[]): Promise<ReadonlyMap<number, BriefProject>> {
    const rows = await this.database.rows<BriefProject>(BRIEFLY, [[...new Set(ids)]]);
    return new Map(rows.map((project) => [project.id, project]));
  }

  /** Loads the relations of a page of projects. */
  async loadPage(
    page: Page<Project>,
    options: RelationsOptions,
  ): Promise<Page<ProjectWithRelations>> {
    return page.withItems(await this.load(page.items, options));
  }

  private async namespacesOf(ids: readonly number[]): Promise<(NamespaceOwner | null)[]> {
    const namespaces = this.database.columns(Namespace);
    const users = this.database.columns(User);
    const rows = await this.database.rows<Record<string, unknown>>(
      `SELECT ${namespaces.list('n', 'namespace.')}, ${users.list('o', 'owner.')}
         FROM namespaces n
         LEFT JOIN users o ON o.id = n.owner_id AND o.deleted_at IS NULL AND NOT o.ghost
        WHERE n.id = ANY($1::int[])`,
      [ids],
    );
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

  private attachmentsOf(asked: readonly AskedAttachments[]): Promise<Attachments[]> {
    const readers = asked.map(({ reader }) => readerOf(reader));
    return this.database.rows<Attachments>(ATTACHMENTS, [
      asked.map(({ projectId }) => projectId),
      readers.map(({ id }) => id),
      readers.map(({ leastVisible }) => leastVisible),
    ]);
  }
}

/** All of a reader that the attachments depend on. */
function readerOf(reader: Subject): { id: number | null; leastVisible: number } {
  const shown = reader?.admin === true ? [Visibility.PRIVATE] : visibleLevels(reader);
  return { id: reader?.id ?? null, leastVisible: Math.min(...shown) };
}

function assembled(
  project: Project,
  { namespace, owner }: NamespaceOwner,
  { projectMembership, groupMembership, ...attached }: Attachments,
  { reader, withPermissions = false }: RelationsOptions,
): ProjectWithRelations {
  const permissions = { project: projectMembership, group: groupMembership };
  return {
    ...{ project, namespace, owner, ...attached },
    ...(withPermissions && reader !== null ? { permissions } : {}),
  };
}
