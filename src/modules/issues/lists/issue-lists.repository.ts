import { Injectable } from '@nestjs/common';
import { Database, opaqueArray, rowById, rowsByKey } from '../../../platform/database/index.js';
import { Page, type PageRequest } from '../../../platform/pagination/index.js';
import {
  Level,
  levelOnProject,
  projectsIn,
  type Subject,
  visibleLevels,
} from '../../authorization/index.js';
import { hasAmong, IssuableLists, IssuableRelations } from '../../issuables/index.js';
import { Issue, type IssueState } from '../model/issue.entity.js';
import type { IssueWithRelations, LocatedIssue } from '../model/issues.repository.js';
import {
  countStatement,
  type IssueScope,
  type ListConditions,
  pageStatement,
  stateCountsStatement,
} from './issue-list.sql.js';

/** A label or milestone that a project has. */
export interface NamedRow {
  id: number;
  projectId: number;
  name: string;
  /** Whether it is one of its group. */
  ofGroup: boolean;
}

interface PageQuestion {
  readonly conditions: ListConditions;
  readonly request: PageRequest;
}

@Injectable()
export class IssueListsRepository {
  private readonly lists: IssuableLists<PageQuestion, LocatedIssue>;

  constructor(
    private readonly database: Database,
    relations: IssuableRelations,
  ) {
    const columns = database.columns(Issue).without('deletedAt');
    this.lists = new IssuableLists(database, relations, {
      type: 'Issue',
      columns,
      page: ({ conditions, request }) => pageStatement(columns, conditions, request),
      count: ({ conditions }) => countStatement(conditions),
    });
  }

  /** Finds the projects of a group that have issues, are not archived and that the reader sees. */
  findGroupScopes(groupId: number, reader: Subject): Promise<IssueScope[]> {
    return this.database.rows(GROUP_SCOPES, [groupId, ...readerParameters(reader)]);
  }

  /** Finds the projects in which the reader has created issues, as far as the reader still sees them. */
  findAuthorScopes(reader: NonNullable<Subject>): Promise<IssueScope[]> {
    return this.database.rows(AUTHOR_SCOPES, readerParameters(reader));
  }

  /** Finds the projects in which the reader is an assignee of issues, as far as the reader still sees them. */
  findAssigneeScopes(reader: NonNullable<Subject>): Promise<IssueScope[]> {
    return this.database.rows(ASSIGNEE_SCOPES, readerParameters(reader));
  }

  /** Finds the projects that have issues and that the reader sees, archived ones too. */
  findAllScopes(reader: Subject): Promise<IssueScope[]> {
    return this.database.rows(ALL_SCOPES, readerParameters(reader));
  }

  /** Finds the labels of projects and their groups by their names. */
  findLabels(scopes: readonly IssueScope[], names: readonly string[]): Promise<NamedRow[]> {
    return this.findNamed('labels', 'name', scopes, names);
  }

  /** Finds the milestones of projects and their groups by their title. */
  findMilestones(scopes: readonly IssueScope[], title: string): Promise<NamedRow[]> {
    return this.findNamed('milestones', 'title', scopes, [title]);
  }

  /** Finds a page of issues with their relations, as the reader sees them. */
  async findPage(
    conditions: Omit<ListConditions, 'readerId'>,
    reader: Subject,
    request: PageRequest,
  ): Promise<Page<IssueWithRelations>> {
    if (conditions.scopes.length === 0) return Page.of<IssueWithRelations>([], request);
    const question = { conditions: { ...conditions, readerId: reader?.id ?? null }, request };
    return this.lists.findPage(question, reader);
  }

  /** Counts issues by their state, as the reader sees them. */
  async countByState(
    conditions: Omit<ListConditions, 'readerId'>,
    reader: Subject,
  ): Promise<Readonly<Record<IssueState, number>>> {
    const counts: Record<IssueState, number> = { opened: 0, closed: 0 };
    if (conditions.scopes.length === 0) return counts;
    const statement = stateCountsStatement({ ...conditions, readerId: reader?.id ?? null });
    const rows = await this.database.rows<{ state: IssueState; count: number }>(
      statement.sql,
      statement.parameters,
    );
    for (const { state, count } of rows) counts[state] = count;
    return counts;
  }

  private findNamed(
    table: 'labels' | 'milestones',
    column: 'name' | 'title',
    scopes: readonly IssueScope[],
    names: readonly string[],
  ): Promise<NamedRow[]> {
    return this.database.rows(
      `SELECT found.id, found.project_id AS "projectId", found.${column} AS name, false AS "ofGroup"
         FROM unnest($1::int[]) AS scope (project_id)
        CROSS JOIN unnest($2::varchar[]) AS wanted (name)
        CROSS JOIN ${rowsByKey(table, column, 'wanted.name', 'project_id = scope.project_id')} found
       UNION ALL
       SELECT found.id, scope.project_id, found.${column}, true
         FROM unnest($1::int[]) AS scope (project_id)
         JOIN ${rowById('projects', 'scope.project_id')} p ON true
        CROSS JOIN unnest($2::varchar[]) AS wanted (name)
        CROSS JOIN ${rowsByKey(table, column, 'wanted.name', 'group_id = p.namespace_id')} found`,
      [scopes.map(({ projectId }) => projectId), names],
    );
  }
}

const readerParameters = (reader: Subject): unknown[] => [
  reader?.id ?? null,
  reader?.admin ?? false,
  visibleLevels(reader),
];

/** @param user @param admin @param levels parameters */
const visible = (user: string, admin: string, levels: string): string => `
  JOIN ${rowById('namespaces', 'p.namespace_id')} n ON n.deleted_at IS NULL
 CROSS JOIN LATERAL (SELECT ${levelOnProject('p', 'n', user)} AS level OFFSET 0) own
 WHERE p.issues_enabled
   AND (${admin} OR p.visibility_level = ANY(${opaqueArray(levels, 'int')}) OR own.level > 0)`;

const GROUP_SCOPES = `
  SELECT p.id AS "projectId",
         $3 OR own.level >= ${String(Level.REPORTER)} AS "readsConfidential"
    FROM ${projectsIn('$1')} p ${visible('$2', '$3', '$4')}
     AND NOT p.archived`;

// Steps through the index from project to project, however many issues there are in each.
const AUTHOR_SCOPES = `
  WITH RECURSIVE authored AS (
    SELECT min(i.project_id) AS project_id FROM issues i WHERE i.author_id = $1
    UNION ALL
    SELECT (SELECT min(i.project_id) FROM issues i
             WHERE i.author_id = $1 AND i.project_id > authored.project_id)
      FROM authored WHERE authored.project_id IS NOT NULL)
  SELECT p.id AS "projectId", true AS "readsConfidential"
    FROM authored
    JOIN ${rowById('projects', 'authored.project_id')} p ON p.deleted_at IS NULL ${visible('$1', '$2', '$3')}`;

const ASSIGNEE_SCOPES = `
  SELECT p.id AS "projectId", true AS "readsConfidential"
    FROM (SELECT DISTINCT i.project_id FROM issues i WHERE ${hasAmong('i', 'assignee_ids', '$1')}) assigned
    JOIN ${rowById('projects', 'assigned.project_id')} p ON p.deleted_at IS NULL ${visible('$1', '$2', '$3')}`;

const ALL_SCOPES = `
  SELECT p.id AS "projectId", $2 OR own.level >= ${String(Level.REPORTER)} AS "readsConfidential"
    FROM issue_counts counted
    JOIN ${rowById('projects', 'counted.project_id')} p ON p.deleted_at IS NULL ${visible('$1', '$2', '$3')}`;
