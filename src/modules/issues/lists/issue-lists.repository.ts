import { Injectable } from '@nestjs/common';
import {
  Database,
  type EntityColumns,
  opaqueArray,
  rowById,
  rowsByKey,
  SharedReads,
} from '../../../platform/database/index.js';
import { Page, type PageRequest, plainRequest } from '../../../platform/pages/index.js';
import {
  Level,
  levelOnProject,
  projectsIn,
  type Subject,
  visibleLevels,
} from '../../access/index.js';
import { IssuableRelations, type Selected } from '../../issuables/index.js';
import { Issue } from '../model/issue.entity.js';
import type { ListedIssue } from '../model/issues.repository.js';
import {
  countStatement,
  type IssueScope,
  type ListConditions,
  pageStatement,
} from './issue-list.sql.js';

/** A label or milestone. */
export interface NamedRow {
  id: number;
  projectId: number;
  name: string;
}

interface PageQuestion {
  readonly conditions: ListConditions;
  readonly request: PageRequest;
}

@Injectable()
export class IssueListsRepository {
  private readonly columns: EntityColumns<Issue>;

  private readonly pages = new SharedReads<PageQuestion, Page<Selected<ListedIssue>>>({
    key: (question) => JSON.stringify(question),
    answer: (question) => this.selectPage(question),
  });

  constructor(
    private readonly database: Database,
    private readonly relations: IssuableRelations,
  ) {
    this.columns = database.columns(Issue).without('deletedAt');
  }

  /** Finds the projects of a group that have issues, are not archived and that the reader sees. */
  findGroupScopes(groupId: number, reader: NonNullable<Subject>): Promise<IssueScope[]> {
    return this.database.rows(GROUP_SCOPES, [groupId, ...readerParameters(reader)]);
  }

  /** Finds the projects in which the reader has created issues, as far as the reader still sees them. */
  findAuthorScopes(reader: NonNullable<Subject>): Promise<IssueScope[]> {
    return this.database.rows(AUTHOR_SCOPES, readerParameters(reader));
  }

  /** Finds the labels of projects by their names. */
  findLabels(scopes: readonly IssueScope[], names: readonly string[]): Promise<NamedRow[]> {
    return this.findNamed('labels', 'name', scopes, names);
  }

  /** Finds the milestones of projects by their title. */
  findMilestones(scopes: readonly IssueScope[], title: string): Promise<NamedRow[]> {
    return this.findNamed('milestones', 'title', scopes, [title]);
  }

  /**
   * Finds a page of issues with their relations. Concurrent requests of a reader for the same page share its statement,
   * or the two of a filtered one.
   */
  async findPage(
    conditions: ListConditions,
    asked: PageRequest,
  ): Promise<Page<Selected<ListedIssue>>> {
    const request = plainRequest(asked);
    if (conditions.scopes.length === 0) return Page.of<Selected<ListedIssue>>([], request);
    return this.pages.ask({ conditions, request });
  }

  private async selectPage({
    conditions,
    request,
  }: PageQuestion): Promise<Page<Selected<ListedIssue>>> {
    const page = pageStatement(this.columns, conditions, request);
    const [{ rows, count }, counted] = await Promise.all([
      this.relations.select<ListedIssue>('Issue', page, this.columns),
      page.count === undefined ? this.count(conditions) : null,
    ]);
    return Page.cut(rows, counted ?? count, request);
  }

  private async count(conditions: ListConditions): Promise<number> {
    const { sql, parameters } = countStatement(conditions);
    const [row] = await this.database.rows<{ count: number }>(sql, parameters);
    return row?.count ?? 0;
  }

  private findNamed(
    table: 'labels' | 'milestones',
    column: 'name' | 'title',
    scopes: readonly IssueScope[],
    names: readonly string[],
  ): Promise<NamedRow[]> {
    return this.database.rows(
      `SELECT found.id, found.project_id AS "projectId", found.${column} AS name
         FROM unnest($1::int[]) AS scope (project_id)
        CROSS JOIN unnest($2::varchar[]) AS wanted (name)
        CROSS JOIN ${rowsByKey(table, column, 'wanted.name', 'project_id = scope.project_id')} found`,
      [scopes.map(({ projectId }) => projectId), names],
    );
  }
}

const readerParameters = (reader: NonNullable<Subject>): unknown[] => [
  reader.id,
  reader.admin,
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
