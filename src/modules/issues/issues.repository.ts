import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import { type HeadOf, nextNumber, type NumberInProject } from '../issuables/index.js';
import { addToCounts, openConfidentialOnes, openOnes } from './issue-counts.js';
import type { Issue } from './issue.entity.js';

/** An issue and where it is. */
export interface LocatedIssue extends Omit<Issue, 'deletedAt'> {
  /** Namespace and path of its project. */
  projectPath: string;
}

/** An issue in a list, whose description may be left to be loaded: then it is null. */
export interface ListedIssue extends LocatedIssue {
  /** Of its description and of that of its milestone. */
  textBytes: number;
}

export type NewIssue = Pick<
  Issue,
  | 'projectId'
  | 'authorId'
  | 'assigneeId'
  | 'milestoneId'
  | 'title'
  | 'description'
  | 'state'
  | 'confidential'
  | 'dueDate'
> & {
  /** None when absent. */
  movedReferences?: Issue['movedReferences'] | undefined;
  /** Now when absent, like the next. */
  createdAt?: Date | undefined;
  updatedAt?: Date | undefined;
};

/** What an issue's row holds that is changed later. */
export type ChangedIssue = Pick<
  Issue,
  | 'id'
  | 'assigneeId'
  | 'milestoneId'
  | 'title'
  | 'description'
  | 'movedReferences'
  | 'state'
  | 'confidential'
  | 'dueDate'
  | 'movedToId'
>;

const OWN_COLUMNS = `
  i.id, i.iid, i.project_id AS "projectId", i.author_id AS "authorId",
  i.assignee_id AS "assigneeId", i.updated_by_id AS "updatedById",
  i.milestone_id AS "milestoneId", i.title, i.description,
  i.moved_references AS "movedReferences", i.state, i.confidential,
  i.due_date::text AS "dueDate", i.moved_to_id AS "movedToId", i.created_at AS "createdAt",
  i.updated_at AS "updatedAt"`;

/** The columns of a `LocatedIssue`: of issues `i`, their projects `p` and namespaces `n`. */
export const COLUMNS = `${OWN_COLUMNS}, n.path || '/' || p.path AS "projectPath"`;

/** Issues `i` that are there, with their projects `p`; goes on with further conditions. */
const LIVING = `
  FROM issues i
  JOIN projects p ON p.id = i.project_id AND p.deleted_at IS NULL
  JOIN namespaces n ON n.id = p.namespace_id AND n.deleted_at IS NULL
 WHERE i.deleted_at IS NULL`;

/** Writes and finds single issues. */
@Injectable()
export class IssuesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Gives an issue its number, adds it and counts it, with one statement: whoever makes another one in
   * the project waits from here to the end of the unit of work.
   * @returns null for a project that is gone, or has no issues any more
   */
  async insert(issue: NewIssue): Promise<LocatedIssue | null> {
    const [row] = await this.database.rows<LocatedIssue>(INSERT, [
      ...[issue.projectId, issue.authorId, issue.assigneeId, issue.milestoneId],
      ...[issue.title, issue.description, issue.state, issue.confidential, issue.dueDate],
      ...[issue.createdAt ?? null, issue.updatedAt ?? null],
      ...[openOnes(issue), openConfidentialOnes(issue), json(issue.movedReferences)],
    ]);
    return row ?? null;
  }

  async findIn(projectId: number, id: number): Promise<LocatedIssue | null> {
    const [row] = await this.database.rows<LocatedIssue>(FIND_IN, [id, projectId]);
    return row ?? null;
  }

  /** As `findIn`; nobody else changes or deletes it until the unit of work ends. */
  async lockIn(projectId: number, id: number): Promise<LocatedIssue | null> {
    const [row] = await this.database.rows<LocatedIssue>(LOCK_IN, [id, projectId]);
    return row ?? null;
  }

  /** In no particular order. */
  findByIds(ids: readonly number[]): Promise<LocatedIssue[]> {
    return this.database.rows(FIND_BY_IDS, [ids]);
  }

  /** Loads the descriptions that issues of a list lack. */
  async withDescriptions(issues: readonly ListedIssue[]): Promise<LocatedIssue[]> {
    const lacking = issues.filter(({ description, textBytes }) => !description && textBytes > 0);
    if (lacking.length === 0) return [...issues];
    const rows = await this.database.rows<Pick<Issue, 'id' | 'description' | 'movedReferences'>>(
      `SELECT id, description, moved_references AS "movedReferences"
         FROM issues WHERE id = ANY($1::int[])`,
      [lacking.map(({ id }) => id)],
    );
    const loaded = new Map(rows.map((row) => [row.id, row]));
    return issues.map((issue) => ({ ...issue, ...loaded.get(issue.id) }));
  }

  /** The bytes of text that answers about each have, by ID: of its description and its milestone's. */
  async textBytesOf(ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const rows = await this.database.rows<{ id: number; bytes: number }>(TEXT_BYTES, [ids]);
    return new Map(rows.map(({ id, bytes }) => [id, bytes]));
  }

  /** By ID; without those that are gone. */
  async titlesOf(ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const rows = await this.database.rows<Pick<Issue, 'id' | 'title'>>(TITLES, [ids]);
    return new Map(rows.map(({ id, title }) => [id, title]));
  }

  /** In no particular order. */
  findHeads(ids: readonly number[]): Promise<HeadOf<LocatedIssue>[]> {
    return this.database.rows(FIND_HEADS, [ids]);
  }

  /** In no particular order. */
  findHeadsByIid(places: readonly NumberInProject[]): Promise<HeadOf<LocatedIssue>[]> {
    const projectIds = places.map(({ projectId }) => projectId);
    return this.database.rows(FIND_HEADS_BY_IID, [projectIds, places.map(({ iid }) => iid)]);
  }

  /** Writes what may have changed of an issue that the unit of work has locked. @returns its new time */
  async update(issue: ChangedIssue, actorId: number, updatedAt: Date | null): Promise<Date> {
    const [row] = await this.database.rows<{ updatedAt: Date }>(UPDATE, [
      ...[issue.id, issue.assigneeId, issue.milestoneId, issue.title, issue.description],
      ...[issue.state, issue.confidential, issue.dueDate, issue.movedToId, actorId, updatedAt],
      json(issue.movedReferences),
    ]);
    if (row === undefined) throw new Error(`Issue ${issue.id} was not locked`);
    return row.updatedAt;
  }

  /** Moves `updated_at` to now. @returns false for an issue that is gone */
  async touch(id: number): Promise<boolean> {
    return (await this.database.rows(TOUCH, [id])).length > 0;
  }

  /** Hides an issue from everybody. Its number is not given away again. */
  async markDeleted(id: number): Promise<void> {
    await this.database.rows('UPDATE issues SET deleted_at = now() WHERE id = $1', [id]);
  }
}

/** As parameters want it: the driver takes lists for arrays. */
const json = (value: object | null | undefined): string | null =>
  value ? JSON.stringify(value) : null;

// Counting comes last, as the lock order wants: nothing in the statement waits for it.
const INSERT = `
  WITH place AS MATERIALIZED (
    SELECT p.id AS project_id, n.path || '/' || p.path AS path
      FROM projects p JOIN namespaces n ON n.id = p.namespace_id AND n.deleted_at IS NULL
     WHERE p.id = $1 AND p.deleted_at IS NULL AND p.issues_enabled FOR KEY SHARE OF p
  ), number AS (${nextNumber(`SELECT project_id, 'Issue' FROM place`)}
  ), counted AS (${addToCounts('SELECT project_id, $12::int, $13::int FROM place')}
  ), i AS (
    INSERT INTO issues (project_id, iid, author_id, assignee_id, milestone_id, title, description,
                        state, confidential, due_date, created_at, updated_at, moved_references)
    SELECT place.project_id, number.iid, $2::int, $3::int, $4::int, $5::varchar, $6, $7::varchar,
           $8::boolean, $9::date, coalesce($10::timestamptz, now()), coalesce($11::timestamptz, now()),
           $14::jsonb
      FROM place, number
    RETURNING *)
  SELECT ${OWN_COLUMNS}, place.path AS "projectPath" FROM i, place`;

const FIND_IN = `SELECT ${COLUMNS} ${LIVING} AND i.id = $1 AND i.project_id = $2`;
const LOCK_IN = `${FIND_IN} FOR NO KEY UPDATE OF i`;
const FIND_BY_IDS = `SELECT ${COLUMNS} ${LIVING} AND i.id = ANY($1::int[])`;
const HEAD = COLUMNS.replace(' i.description,\n  i.moved_references AS "movedReferences",', '');
const FIND_HEADS = `SELECT ${HEAD} ${LIVING} AND i.id = ANY($1::int[])`;
const FIND_HEADS_BY_IID = `
  SELECT ${HEAD} ${LIVING}
     AND (i.project_id, i.iid) IN (SELECT * FROM unnest($1::int[], $2::int[]))`;

const TEXT_BYTES = `
  SELECT i.id, (coalesce(octet_length(i.description), 0)
               + coalesce(octet_length(milestone.description), 0))::int AS bytes
    FROM issues i LEFT JOIN milestones milestone ON milestone.id = i.milestone_id
   WHERE i.id = ANY($1::int[])`;

const TITLES = `SELECT i.id, i.title ${LIVING} AND i.id = ANY($1::int[])`;

const TOUCH = `
  UPDATE issues SET updated_at = now() WHERE id = $1 AND deleted_at IS NULL RETURNING id`;

const UPDATE = `
  UPDATE issues
     SET assignee_id = $2, milestone_id = $3, title = $4, description = $5, state = $6,
         confidential = $7, due_date = $8, moved_to_id = $9, updated_by_id = $10,
         updated_at = coalesce($11::timestamptz, now()), moved_references = $12::jsonb
   WHERE id = $1
  RETURNING updated_at AS "updatedAt"`;
