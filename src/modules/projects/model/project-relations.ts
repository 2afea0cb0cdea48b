import { Injectable } from '@nestjs/common';
import { BatchedReads, Database } from '../../../platform/database/index.js';
import { type Subject, VISIBILITY_LEVEL, visibleLevels } from '../../authorization/index.js';
import { Namespace } from '../../groups/index.js';
import { User } from '../../users/index.js';
import { Project } from './project.entity.js';
import {
  BRIEF_PROJECTS,
  OWNER_COLUMNS,
  type ProjectColumns,
  type ProjectOwner,
  projectsOfReaders,
} from './project-relations.sql.js';

/** The levels of a direct membership. */
export interface MembershipLevels {
  accessLevel: number;
  notificationLevel: number;
}

/** A group that a project is shared with. */
export interface SharedGroup {
  groupId: number;
  groupName: string;
  groupPath: string;
  groupAccess: number;
  /** A date, `YYYY-MM-DD`; null: no end. */
  expiresAt: string | null;
  /** Whether the reader sees the group by its visibility, as a member or as an administrator. */
  isVisible: boolean;
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
  permissions?: { project: MembershipLevels | null; group: MembershipLevels | null };
}

/** The path of a project with that of its namespace. */
export const fullPathOf = ({
  project,
  namespace,
}: Pick<ProjectWithRelations, 'project' | 'namespace'>): string =>
  `${namespace.path}/${project.path}`;

export interface RelationsOptions {
  /** The account that gets the response; null is anonymous. */
  reader: Subject;
  /**
   * Whether to load the reader's memberships for `permissions`
   * (docs/reference/projects.md#the-project-object).
   */
  withPermissions?: boolean;
}

/** The relations of a project that one reader sees. */
interface Relations {
  sharedWith: readonly SharedGroup[];
  forkedFrom: BriefProject | null;
  projectMembership: MembershipLevels | null;
  groupMembership: MembershipLevels | null;
  openIssuesCount: number;
}

interface ProjectQuestion {
  readonly projectId: number;
  readonly reader: Subject;
}

/** A project as one reader sees it. */
interface LoadedProject extends Pick<ProjectWithRelations, 'project' | 'namespace' | 'owner'> {
  readonly relations: Relations;
}

/** A row of the statement; `position` is that of the question, from 1. */
type LoadedRow = Relations & Record<string, unknown> & { readonly position: number };

/**
 * Loads projects with the relations that their responses embed, with one statement for a list; concurrent requests for
 * single projects share one.
 */
@Injectable()
export class ProjectRelations {
  private readonly reads = new BatchedReads<ProjectQuestion, LoadedProject | null>({
    key: ({ projectId, reader }) => [projectId, ...Object.values(readerValues(reader))].join(' '),
    answer: (questions) => this.loadAsked(questions),
  });

  private known: ProjectColumns | undefined;
  private statement: string | undefined;

  constructor(private readonly database: Database) {}

  /** Loads a project. Requests that come together share one statement. @returns null when it is deleted */
  async loadOne(
    projectId: number,
    options: RelationsOptions,
  ): Promise<ProjectWithRelations | null> {
    const loaded = await this.reads.ask({ projectId, reader: options.reader });
    return loaded && withRelations(loaded, options);
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
    const { reader } = options;
    const loaded = await this.loadAsked(projectIds.map((projectId) => ({ projectId, reader })));
    return loaded.flatMap((one) => (one === null ? [] : [withRelations(one, options)]));
  }

  /** Loads the short forms of projects, with one statement. */
  async loadBrief(ids: readonly number[]): Promise<ReadonlyMap<number, BriefProject>> {
    const rows = await this.database.rows<BriefProject>(BRIEF_PROJECTS, [[...new Set(ids)]]);
    return new Map(rows.map((project) => [project.id, project]));
  }

  private columns(): ProjectColumns {
    this.known ??= {
      projects: this.database.columns(Project),
      namespaces: this.database.columns(Namespace),
      owners: this.database.columns(User).only(OWNER_COLUMNS),
    };
    return this.known;
  }

  private async loadAsked(
    questions: readonly ProjectQuestion[],
  ): Promise<(LoadedProject | null)[]> {
    const columns = this.columns();
    this.statement ??= projectsOfReaders(columns);
    const readers = questions.map(({ reader }) => readerValues(reader));
    const rows = await this.database.rows<LoadedRow>(this.statement, [
      questions.map(({ projectId }) => projectId),
      readers.map(({ id }) => id),
      readers.map(({ leastVisible }) => leastVisible),
    ]);
    const found = new Map(rows.map((row) => [row.position, row]));
    return questions.map((_, index) => {
      const row = found.get(index + 1);
      return row === undefined ? null : readProject(columns, row);
    });
  }
}

function readProject(
  { projects, namespaces, owners }: ProjectColumns,
  row: LoadedRow,
): LoadedProject {
  return {
    project: projects.read(row, 'project.'),
    namespace: namespaces.read(row, 'namespace.'),
    owner: row['owner.id'] === null ? null : owners.read(row, 'owner.'),
    relations: row,
  };
}

/** Returns everything about a reader that relations depend on. */
export function readerValues(reader: Subject): { id: number | null; leastVisible: number } {
  const shown = reader?.admin === true ? [VISIBILITY_LEVEL.private] : visibleLevels(reader);
  return { id: reader?.id ?? null, leastVisible: Math.min(...shown) };
}

function withRelations(
  { project, namespace, owner, relations }: LoadedProject,
  { reader, withPermissions = false }: RelationsOptions,
): ProjectWithRelations {
  const { sharedWith, forkedFrom, openIssuesCount } = relations;
  const permissions = { project: relations.projectMembership, group: relations.groupMembership };
  return {
    project,
    namespace,
    owner,
    sharedWith,
    forkedFrom,
    openIssuesCount,
    ...(withPermissions && reader !== null ? { permissions } : {}),
  };
}
