import { Injectable } from '@nestjs/common';
import {
  checked,
  Database,
  type EntityColumns,
  notDeleted,
  opaqueArray,
  rowById,
  rowsByIds,
  rowsWhere,
} from '../../../platform/database/index.js';
import { existingProject, type Subject } from '../../authorization/index.js';
import {
  BaseIssuablesRepository,
  givenNumber,
  type HeadOf,
  IssuableReads,
  IssuableRelations,
  LabelsRepository,
  nextNumber,
  type IssuableKey,
  type NumberInProject,
  type WithRelations,
} from '../../issuables/index.js';
import { Issue } from './issue.entity.js';

/** An issue with the path of its project. */
export interface LocatedIssue extends Omit<Issue, 'deletedAt'> {
  /** `namespace/project`. */
  projectPath: string;
}

type StoredIssue = Omit<LocatedIssue, 'projectPath'>;

/** An issue with the relations that its response embeds, as one reader sees them. */
export type IssueWithRelations = WithRelations<LocatedIssue>;

/** What a new issue has before it is inserted. */
export interface IssueDraft {
  readonly id: number;
  readonly projectId: number;
  readonly projectPath: string;
}

/** The values of a new issue. */
export type NewIssue = Pick<
  Issue,
  | 'authorId'
  | 'assigneeIds'
  | 'milestoneId'
  | 'title'
  | 'description'
  | 'state'
  | 'confidential'
  | 'dueDate'
> & {
  /** Labels that the unit of work has locked. None when absent. */
  labelIds?: readonly number[] | undefined;
  /** The time of the issue that it is a copy of. */
  time?: Pick<Issue, 'timeEstimate' | 'totalTimeSpent'> | undefined;
  /** Now if absent, like the next. */
  createdAt?: Date | undefined;
  updatedAt?: Date | undefined;
};

/** An issue of another server. */
type ImportedIssue = Pick<Issue, 'iid' | 'createdAt' | 'updatedAt'> &
  Omit<NewIssue, 'labelIds' | 'time'>;

/**
 * Lists the columns of a `LocatedIssue`: of issues, their projects `p` and namespaces `n`.
 * @param issue alias of the issues
 */
export const locatedColumns = (columns: EntityColumns<Issue>, issue = 'i'): string =>
  `${columns.list(issue)}, n.path || '/' || p.path AS "projectPath"`;

/**
 * Issues `i` that are not deleted, with their projects `p`. Further conditions may follow.
 * @param issues the table, or what selects rows of it
 */
const fromLiving = (issues: string): string => `
  FROM ${issues} i
  ${existingProject('i.project_id')}
 WHERE ${notDeleted('i')}`;

@Injectable()
export class IssuesRepository extends BaseIssuablesRepository {
  private readonly statements: ReturnType<typeof statementsOf>;
  private readonly reads: IssuableReads<LocatedIssue>;

  constructor(
    database: Database,
    private readonly labels: LabelsRepository,
    relations: IssuableRelations,
  ) {
    super(database, 'issues');
    const columns = database.columns(Issue).without('deletedAt');
    this.statements = statementsOf(columns);
    this.reads = new IssuableReads(relations, 'Issue', columns, locatedColumns(columns, 't'));
  }

  /**
   * Draws the ID of a new issue, and locks its project against deletion until the unit of work ends.
   * @returns null if the project is deleted, or has issues disabled
   */
  async draft(projectId: number): Promise<IssueDraft | null> {
    const [row] = await this.database.rows<IssueDraft>(DRAFT, [projectId]);
    return row ?? null;
  }

  /**
   * Inserts an issue with the next number of its project and its labels, and counts it, with one statement. Other
   * inserts into the project wait for the end of the unit of work, so the statement is deferred as long as possible.
   */
  insert(draft: IssueDraft, issue: NewIssue): PromiseLike<LocatedIssue> {
    const values = valuesOf(draft, issue);
    return this.database.defer(this.statements.insert, values, (rows: StoredIssue[]) =>
      located(draft, rows),
    );
  }

  /**
   * Inserts an issue of another server with its number and its times, without activity, todos and events. Its labels
   * follow (`LabelsRepository.replace`).
   * @returns its ID; null if the number is taken, or the project is deleted
   */
  async insertImported(projectId: number, issue: ImportedIssue): Promise<number | null> {
    const [row] = await this.database.rows<{ id: number }>(INSERT_IMPORTED, [
      projectId,
      issue.iid,
      issue.authorId,
      issue.assigneeIds,
      issue.milestoneId,
      issue.title,
      issue.description,
      issue.state,
      issue.confidential,
      issue.dueDate,
      issue.createdAt,
      issue.updatedAt,
    ]);
    return row?.id ?? null;
  }

  async findIn(projectId: number, id: number): Promise<LocatedIssue | null> {
    const [row] = await this.database.rows<LocatedIssue>(this.statements.findIn, [id, projectId]);
    return row ?? null;
  }

  /** As `findIn`, with the relations of the issue. */
  findWithRelations(
    projectId: number,
    key: IssuableKey,
    reader: Subject,
  ): Promise<IssueWithRelations | null> {
    return this.reads.find(projectId, key, reader);
  }

  /** As `findIn`, and locks the issue against changes until the unit of work ends. */
  async lockIn(projectId: number, id: number): Promise<LocatedIssue | null> {
    const [row] = await this.database.rows<LocatedIssue>(this.statements.lockIn, [id, projectId]);
    return row ?? null;
  }

  /** In no particular order. */
  findByIds(ids: readonly number[]): Promise<LocatedIssue[]> {
    return this.database.rows(this.statements.findByIds, [ids]);
  }

  /** In no particular order. */
  findHeads(ids: readonly number[]): Promise<HeadOf<LocatedIssue>[]> {
    return this.database.rows(this.statements.findHeads, [ids]);
  }

  /** In no particular order. */
  findHeadsByIid(numbers: readonly NumberInProject[]): Promise<HeadOf<LocatedIssue>[]> {
    const projectIds = numbers.map(({ projectId }) => projectId);
    return this.database.rows(this.statements.findHeadsByIid, [
      projectIds,
      numbers.map(({ iid }) => iid),
    ]);
  }

  /**
   * Writes a change of an issue that the unit of work has locked, with the copies of its state in label links.
   * @param updatedAt now if absent
   * @returns the issue as it is then
   */
  async update(
    { before, after }: { before: LocatedIssue; after: LocatedIssue },
    actorId: number,
    updatedAt?: Date,
  ): Promise<LocatedIssue> {
    const [row] = await this.database.rows<{ updatedAt: Date }>(UPDATE, [
      after.id,
      after.assigneeIds,
      after.milestoneId,
      after.title,
      after.description,
      after.state,
      after.confidential,
      after.discussionLocked,
      after.dueDate,
      after.movedToId,
      actorId,
      updatedAt ?? null,
    ]);
    if (row === undefined) throw new Error(`Issue ${after.id} was not locked`);
    if (before.state !== after.state || before.confidential !== after.confidential) {
      await this.labels.updateLinks({ type: 'Issue', id: after.id });
    }
    return { ...after, updatedById: actorId, updatedAt: row.updatedAt };
  }

  /** Marks a locked issue as deleted. Its number is not used again. */
  async markDeleted(id: number): Promise<void> {
    await this.database.rows('UPDATE issues SET deleted_at = now() WHERE id = $1', [id]);
  }

  /** Makes other moves from and to these projects wait until the unit of work ends (docs/lock-order.md). */
  async lockMoves(projectIds: readonly number[]): Promise<void> {
    await this.database.rows(LOCK_MOVES, [MOVE_LOCK, projectIds]);
  }
}

/** First key of the advisory locks of moves. */
const MOVE_LOCK = 7_265_005;

const LOCK_MOVES = `
  SELECT pg_advisory_xact_lock($1, id)
    FROM (SELECT id FROM unnest($2::int[]) AS id ORDER BY id) AS ordered`;

const DRAFT = `
  SELECT nextval(pg_get_serial_sequence('issues', 'id'))::int AS id, p.id AS "projectId",
         n.path || '/' || p.path AS "projectPath"
    FROM projects p
    JOIN ${rowById('namespaces', 'p.namespace_id')} n ON n.deleted_at IS NULL
   WHERE p.id = $1 AND ${notDeleted('p')} AND p.issues_enabled FOR KEY SHARE OF p`;

// Goes on with the columns of the new issue `i`.
const INSERT = `
  WITH number AS (${nextNumber(`VALUES ($2::int, 'Issue')`)}
  ), i AS (
    INSERT INTO issues (id, project_id, iid, author_id, assignee_ids, milestone_id, title,
                        description, state, confidential, due_date, created_at, updated_at,
                        time_estimate, total_time_spent)
    SELECT $1::int, $2::int, number.iid, $3::int, $4::int[], $5::int, $6::varchar, $7, $8::varchar,
           $9::boolean, $10::date, coalesce($11::timestamptz, now()),
           coalesce($12::timestamptz, now()), $14::int, $15::int
      FROM number
    RETURNING *
  ), labelled AS (
    INSERT INTO label_links (target_type, target_id, label_id, created_at, state, confidential,
                             author_id, project_id)
    SELECT 'Issue', i.id, label.id, i.created_at, i.state, i.confidential, i.author_id,
           CASE WHEN label.group_id IS NOT NULL THEN i.project_id END
      FROM i CROSS JOIN ${rowsByIds('labels', '$13::int[]')} label)`;

const INSERT_IMPORTED = `
  WITH number AS (${givenNumber(`
    SELECT id, 'Issue', $2::int FROM projects WHERE id = $1 AND ${notDeleted()} FOR KEY SHARE`)}
  )
  INSERT INTO issues (project_id, iid, author_id, assignee_ids, milestone_id, title, description, state,
                      confidential, due_date, created_at, updated_at)
  SELECT project_id, $2::int, $3::int, $4::int[], $5::int, $6::varchar, $7, $8::varchar,
         $9::boolean, $10::date, $11::timestamptz, $12::timestamptz
    FROM number
  ON CONFLICT (project_id, iid) DO NOTHING
  RETURNING id`;

/** The parameters of `INSERT`. */
const valuesOf = ({ id, projectId }: IssueDraft, issue: NewIssue): unknown[] => [
  ...[id, projectId, issue.authorId, issue.assigneeIds, issue.milestoneId],
  ...[issue.title, issue.description, issue.state, issue.confidential, issue.dueDate],
  ...[issue.createdAt ?? null, issue.updatedAt ?? null],
  [...(issue.labelIds ?? [])],
  ...[issue.time?.timeEstimate ?? 0, issue.time?.totalTimeSpent ?? 0],
];

function located({ id, projectPath }: IssueDraft, [row]: readonly StoredIssue[]): LocatedIssue {
  if (row === undefined) throw new Error(`Issue ${String(id)} was not inserted`);
  return { ...row, projectPath };
}

const BY_IDS = rowsByIds('issues', opaqueArray('$1', 'int'));

const BY_IIDS = `
  unnest($1::int[], $2::int[]) AS asked (project_id, iid)
  CROSS JOIN ${rowsWhere('issues', 'project_id = asked.project_id AND iid = asked.iid')}`;

/** The statements that read whole issues. @param columns those of a `LocatedIssue` */
function statementsOf(columns: EntityColumns<Issue>) {
  const withoutTexts = columns.without('description');
  const issues = `SELECT ${locatedColumns(columns)}`;
  const heads = `SELECT ${locatedColumns(withoutTexts)}`;
  const findIn = `${issues} ${fromLiving('issues')} AND i.id = $1 AND ${checked('i.project_id = $2')}`;
  return {
    findIn,
    lockIn: `${findIn} FOR NO KEY UPDATE OF i`,
    findByIds: `${issues} ${fromLiving(BY_IDS)}`,
    findHeads: `${heads} ${fromLiving(BY_IDS)}`,
    findHeadsByIid: `${heads} ${fromLiving(BY_IIDS)}`,
    insert: `${INSERT} SELECT ${columns.list('i')} FROM i`,
  };
}

const UPDATE = `
  UPDATE issues
     SET assignee_ids = $2, milestone_id = $3, title = $4, description = $5, state = $6,
         confidential = $7, discussion_locked = $8, due_date = $9, moved_to_id = $10,
         updated_by_id = $11, updated_at = coalesce($12::timestamptz, now())
   WHERE id = $1
  RETURNING updated_at AS "updatedAt"`;
