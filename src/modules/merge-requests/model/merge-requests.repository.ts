import { Injectable } from '@nestjs/common';
import { Database, opaqueArray } from '../../../platform/database/index.js';
import { Page, type PageRequest } from '../../../platform/pages/index.js';
import { type HeadOf, nextNumber, type NumberInProject } from '../../issuables/index.js';
import { Project, type StoredProject } from '../../projects/index.js';
import type { PipelineKey } from '../../repository/index.js';
import {
  countStatement,
  type MergeRequestFilter,
  pageStatement,
} from './merge-request-list.sql.js';
import type { MergeRequest } from './merge-request.entity.js';
import { COLUMNS, FROM_EXISTING, isBranch, OPEN, OWN_COLUMNS } from './merge-request.sql.js';

/** A merge request with the path of its target project. */
export interface LocatedMergeRequest extends Omit<MergeRequest, 'deletedAt'> {
  /** Namespace and path of the target project. */
  projectPath: string;
}

/** A merge request of a list. Its description is null while it is not loaded (`loadDescriptions`). */
export interface ListedMergeRequest extends LocatedMergeRequest {
  /** The bytes of its description and of that of its milestone. */
  textBytes: number;
}

export type NewMergeRequest = Pick<
  MergeRequest,
  | 'projectId'
  | 'sourceProjectId'
  | 'sourceBranch'
  | 'targetBranch'
  | 'authorId'
  | 'assigneeId'
  | 'milestoneId'
  | 'title'
  | 'description'
  | 'forceRemoveSourceBranch'
  | 'forceRemoveGiven'
  | 'forceRemoveById'
>;

/** The columns that `update` writes. */
export type ChangedMergeRequest = Pick<
  MergeRequest,
  | 'id'
  | 'targetBranch'
  | 'assigneeId'
  | 'milestoneId'
  | 'title'
  | 'description'
  | 'state'
  | 'mergeStatus'
  | 'checkedTargetSha'
  | 'mergeCommitSha'
  | 'mergeUserId'
  | 'mergeWhenBuildSucceeds'
  | 'mergeCommitMessage'
  | 'shouldRemoveSourceBranch'
  | 'shouldRemoveGiven'
  | 'forceRemoveSourceBranch'
  | 'forceRemoveGiven'
  | 'forceRemoveById'
>;

/** A source and a target branch. Only one request can be open for them. */
export type BranchPair = Pick<
  MergeRequest,
  'projectId' | 'sourceProjectId' | 'sourceBranch' | 'targetBranch'
>;

/** The unique index that refuses a second open request for a pair of branches. */
export const OPEN_KEY = 'merge_requests_open_key';

/** Finds, locks, lists and writes merge requests. */
@Injectable()
export class MergeRequestsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Inserts a merge request with the next iid, which is locked to the end of the unit of work. Violates
   * `OPEN_KEY` when one is open for the branches.
   * @returns null when the target project is deleted, archived, or has merge requests switched off
   */
  async insert(request: NewMergeRequest): Promise<LocatedMergeRequest | null> {
    const [row] = await this.database.rows<LocatedMergeRequest>(INSERT, [
      ...[request.projectId, request.sourceProjectId, request.sourceBranch, request.targetBranch],
      ...[
        request.authorId,
        request.assigneeId,
        request.milestoneId,
        request.title,
        request.description,
      ],
      ...[request.forceRemoveSourceBranch, request.forceRemoveGiven, request.forceRemoveById],
    ]);
    return row ?? null;
  }

  /** Finds the title of the request that is open for two branches. @param exceptId a request to leave out */
  async findOpenTitle(pair: BranchPair, exceptId = 0): Promise<string | null> {
    const [row] = await this.database.rows<Pick<MergeRequest, 'title'>>(FIND_OPEN_TITLE, [
      ...[pair.sourceProjectId, pair.sourceBranch, pair.projectId, pair.targetBranch],
      exceptId,
    ]);
    return row?.title ?? null;
  }

  /** Finds a request of a target project. */
  async findIn(projectId: number, id: number): Promise<LocatedMergeRequest | null> {
    const [row] = await this.database.rows<LocatedMergeRequest>(FIND_IN, [id, projectId]);
    return row ?? null;
  }

  /** Finds a request of a target project and locks its row to the end of the unit of work. */
  async lockIn(projectId: number, id: number): Promise<LocatedMergeRequest | null> {
    const [row] = await this.database.rows<LocatedMergeRequest>(LOCK_IN, [id, projectId]);
    return row ?? null;
  }

  /** Finds requests in no particular order. */
  findByIds(ids: readonly number[]): Promise<LocatedMergeRequest[]> {
    return this.database.rows(FIND_BY_IDS, [ids]);
  }

  /** Finds requests without their descriptions, in no particular order. */
  findHeads(ids: readonly number[]): Promise<HeadOf<LocatedMergeRequest>[]> {
    return this.database.rows(FIND_HEADS, [ids]);
  }

  /** Finds requests by their iids, without their descriptions, in no particular order. */
  findHeadsByIid(numbers: readonly NumberInProject[]): Promise<HeadOf<LocatedMergeRequest>[]> {
    const projectIds = numbers.map(({ projectId }) => projectId);
    return this.database.rows(FIND_HEADS_BY_IID, [projectIds, numbers.map(({ iid }) => iid)]);
  }

  /** Finds the open requests whose head and source branch a pipeline belongs to, by ID. */
  findOpenOfPipeline({
    projectId,
    ref,
    sha,
  }: PipelineKey): Promise<Pick<MergeRequest, 'id' | 'authorId' | 'mergeWhenBuildSucceeds'>[]> {
    return this.database.rows(FIND_OPEN_OF_PIPELINE, [projectId, ref, sha]);
  }

  /** Lists a page of the requests into a project; see `loadDescriptions`. */
  async list(
    projectId: number,
    filter: MergeRequestFilter,
    request: PageRequest,
  ): Promise<Page<ListedMergeRequest>> {
    const page = pageStatement(projectId, filter, request);
    const found = await this.database.rows<ListedMergeRequest>(page.sql, page.parameters);
    const count = countStatement(projectId, filter);
    const [row] = await this.database.rows<{ count: number }>(count.sql, count.parameters);
    return Page.cut(found, row?.count ?? 0, request);
  }

  /** Loads the descriptions that are missing in requests of a list. */
  async loadDescriptions(
    mergeRequests: readonly ListedMergeRequest[],
  ): Promise<LocatedMergeRequest[]> {
    const lacking = mergeRequests.filter(
      ({ description, textBytes }) => !description && textBytes > 0,
    );
    if (lacking.length === 0) return [...mergeRequests];
    const rows = await this.database.rows<Pick<MergeRequest, 'id' | 'description'>>(
      'SELECT id, description FROM merge_requests WHERE id = ANY($1::int[])',
      [lacking.map(({ id }) => id)],
    );
    const loaded = new Map(rows.map((row) => [row.id, row]));
    return mergeRequests.map((one) => ({ ...one, ...loaded.get(one.id) }));
  }

  /** Returns the bytes of each request's description and of its milestone's, by ID. */
  async textBytesOf(ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const rows = await this.database.rows<{ id: number; bytes: number }>(TEXT_BYTES, [ids]);
    return new Map(rows.map(({ id, bytes }) => [id, bytes]));
  }

  /** Returns titles by ID, without deleted requests. */
  async titlesOf(ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const rows = await this.database.rows<Pick<MergeRequest, 'id' | 'title'>>(TITLES, [ids]);
    return new Map(rows.map(({ id, title }) => [id, title]));
  }

  /**
   * Writes a request that the unit of work has locked. Violates `OPEN_KEY` when another one is open for the
   * branches.
   * @returns the new `updated_at`
   */
  async update(changed: ChangedMergeRequest, actorId: number): Promise<Date> {
    const [row] = await this.database.rows<{ updatedAt: Date }>(UPDATE, [
      ...[changed.id, changed.targetBranch, changed.assigneeId, changed.milestoneId],
      ...[changed.title, changed.description, changed.state, changed.mergeUserId],
      ...[changed.mergeWhenBuildSucceeds, changed.mergeCommitMessage],
      ...[changed.shouldRemoveSourceBranch, changed.forceRemoveSourceBranch, actorId],
      ...[changed.mergeStatus, changed.checkedTargetSha],
      ...[changed.shouldRemoveGiven, changed.forceRemoveGiven, changed.forceRemoveById],
      changed.mergeCommitSha,
    ]);
    if (row === undefined) throw new Error(`Merge request ${changed.id} was not locked`);
    return row.updatedAt;
  }

  /** Finds the open requests that come from one of some projects and target another one. */
  findOpenFromForks(
    sourceIds: readonly number[],
  ): Promise<Pick<MergeRequest, 'id' | 'projectId'>[]> {
    return this.database.rows(FIND_OPEN_FROM_FORKS, [sourceIds]);
  }

  /** Deletes a request softly; its iid stays taken. */
  async markDeleted(id: number): Promise<void> {
    await this.database.rows('UPDATE merge_requests SET deleted_at = now() WHERE id = $1', [id]);
  }

  /** Sets `updated_at` to now. @returns false when the request is deleted */
  async touch(id: number): Promise<boolean> {
    return (await this.database.rows(TOUCH, [id])).length > 0;
  }

  /** Finds the storages of projects that are not deleted, by ID. */
  async findStorages(ids: readonly number[]): Promise<ReadonlyMap<number, StoredProject>> {
    const projects = await this.database.rows<StoredProject>(FIND_STORAGES, [ids]);
    return new Map(projects.map((one) => [one.id, one]));
  }

  /** Whether a project merges only requests whose build has succeeded. */
  async requiresBuild(projectId: number): Promise<boolean> {
    return this.database
      .of(Project)
      .existsBy({ id: projectId, onlyAllowMergeIfBuildSucceeds: true });
  }
}

const INSERT = `
  WITH target AS MATERIALIZED (
    SELECT p.id AS project_id, n.path || '/' || p.path AS path
      FROM projects p JOIN namespaces n ON n.id = p.namespace_id AND n.deleted_at IS NULL
     WHERE p.id = $1 AND p.deleted_at IS NULL AND p.merge_requests_enabled AND NOT p.archived
       FOR KEY SHARE OF p
  ), number AS (${nextNumber(`SELECT project_id, 'MergeRequest' FROM target`)}
  ), m AS (
    INSERT INTO merge_requests (project_id, iid, source_project_id, source_branch, target_branch,
                                author_id, assignee_id, milestone_id, title, description,
                                force_remove_source_branch, force_remove_given, force_remove_by_id)
    SELECT target.project_id, number.iid, $2::int, $3, $4, $5::int, $6::int, $7::int, $8::varchar,
           $9, $10::boolean, $11::boolean, $12::int
      FROM target, number
    RETURNING *)
  SELECT ${OWN_COLUMNS}, target.path AS "projectPath" FROM m, target`;

const FIND_OPEN_TITLE = `
  SELECT m.title FROM merge_requests m
   WHERE m.source_project_id = $1 AND ${isBranch('m.source_branch', '$2')}
     AND m.project_id = $3 AND ${isBranch('m.target_branch', '$4')} AND ${OPEN} AND m.id <> $5`;

const FIND_IN = `SELECT ${COLUMNS} ${FROM_EXISTING} AND m.id = $1 AND m.project_id = $2`;
const LOCK_IN = `${FIND_IN} FOR NO KEY UPDATE OF m`;
const FIND_BY_IDS = `SELECT ${COLUMNS} ${FROM_EXISTING} AND m.id = ANY($1::int[])`;
const HEAD = COLUMNS.replace(' m.description,', '');
const FIND_HEADS = `SELECT ${HEAD} ${FROM_EXISTING} AND m.id = ANY($1::int[])`;
const FIND_HEADS_BY_IID = `
  SELECT ${HEAD} ${FROM_EXISTING}
     AND (m.project_id, m.iid) IN (SELECT * FROM unnest($1::int[], $2::int[]))`;
const FIND_OPEN_FROM_FORKS = `
  SELECT m.id, m.project_id AS "projectId" FROM merge_requests m
   WHERE m.source_project_id = ANY($1::int[]) AND m.project_id <> m.source_project_id AND ${OPEN}
   ORDER BY m.id`;

const FIND_OPEN_OF_PIPELINE = `
  SELECT m.id, m.author_id AS "authorId",
         m.merge_when_build_succeeds AS "mergeWhenBuildSucceeds"
    FROM merge_requests m
   WHERE m.source_project_id = $1 AND ${isBranch('m.source_branch', '$2')} AND m.head_sha = $3
     AND ${OPEN}
   ORDER BY m.id`;

const TEXT_BYTES = `
  SELECT m.id, (coalesce(octet_length(m.description), 0)
               + coalesce(octet_length(milestone.description), 0))::int AS bytes
    FROM merge_requests m LEFT JOIN milestones milestone ON milestone.id = m.milestone_id
   WHERE m.id = ANY($1::int[])`;

const TITLES = `SELECT m.id, m.title ${FROM_EXISTING} AND m.id = ANY($1::int[])`;

const UPDATE = `
  UPDATE merge_requests
     SET target_branch = $2, assignee_id = $3, milestone_id = $4, title = $5, description = $6,
         state = $7, merge_user_id = $8, merge_when_build_succeeds = $9, merge_commit_message = $10,
         should_remove_source_branch = $11, force_remove_source_branch = $12, updated_by_id = $13,
         merge_status = $14, checked_target_sha = $15, should_remove_given = $16,
         force_remove_given = $17, force_remove_by_id = $18, merge_commit_sha = $19,
         updated_at = now()
   WHERE id = $1
  RETURNING updated_at AS "updatedAt"`;

const TOUCH = `
  UPDATE merge_requests SET updated_at = now() WHERE id = $1 AND deleted_at IS NULL RETURNING id`;

const FIND_STORAGES = `
  SELECT id, storage FROM projects
   WHERE id = ANY(${opaqueArray('$1', 'int')}) AND deleted_at IS NULL`;
