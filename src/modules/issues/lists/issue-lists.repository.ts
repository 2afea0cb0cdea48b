import { Injectable } from '@nestjs/common';
import { Database, type EntityColumns, opaqueArray } from '../../../platform/database/index.js';
import { Page, type PageRequest } from '../../../platform/pages/index.js';
import { Level, projectLevels, type Subject, visibleLevels } from '../../access/index.js';
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

@Injectable()
export class IssueListsRepository {
  private readonly columns: EntityColumns<Issue>;

  constructor(private readonly database: Database) {
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

  async findPage(conditions: ListConditions, request: PageRequest): Promise<Page<ListedIssue>> {
    if (conditions.scopes.length === 0) return Page.of<ListedIssue>([], request);
    const page = pageStatement(this.columns, conditions, request);
    const count = countStatement(conditions);
    const [issues, [row]] = await Promise.all([
      this.database.rows<ListedIssue>(page.sql, page.parameters),
      this.database.rows<{ count: number }>(count.sql, count.parameters),
    ]);
    return Page.cut(issues, row?.count ?? 0, request);
  }

  private findNamed(
    table: 'labels' | 'milestones',
    column: 'name' | 'title',
    scopes: readonly IssueScope[],
    names: readonly string[],
  ): Promise<NamedRow[]> {
    return this.database.rows(
      `SELECT id, project_id AS "projectId", ${column} AS name FROM ${table}
        WHERE project_id = ANY($1::int[]) AND ${column} = ANY($2::varchar[])`,
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
  JOIN namespaces n ON n.id = p.namespace_id AND n.deleted_at IS NULL
  LEFT JOIN (
    SELECT levels.project_id, max(levels.access_level) AS level
      FROM (${projectLevels(user)}) levels GROUP BY levels.project_id) member
    ON member.project_id = p.id
 WHERE p.deleted_at IS NULL AND p.issues_enabled
   AND (${admin} OR p.visibility_level = ANY(${opaqueArray(levels, 'int')})
        OR member.level IS NOT NULL)`;

const GROUP_SCOPES = `
  SELECT p.id AS "projectId",
         $3 OR coalesce(member.level, 0) >= ${String(Level.REPORTER)} AS "readsConfidential"
    FROM projects p ${visible('$2', '$3', '$4')}
     AND p.namespace_id = $1 AND NOT p.archived`;

// Steps through the index from project to project, however many issues there are in each.
const AUTHOR_SCOPES = `
  WITH RECURSIVE authored AS (
    SELECT min(i.project_id) AS project_id FROM issues i WHERE i.author_id = $1
    UNION ALL
    SELECT (SELECT min(i.project_id) FROM issues i
             WHERE i.author_id = $1 AND i.project_id > authored.project_id)
      FROM authored WHERE authored.project_id IS NOT NULL)
  SELECT p.id AS "projectId", true AS "readsConfidential"
    FROM authored JOIN projects p ON p.id = authored.project_id ${visible('$1', '$2', '$3')}`;
