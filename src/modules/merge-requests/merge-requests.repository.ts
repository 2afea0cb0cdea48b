import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import { type HeadOf, nextNumber, type NumberInProject } from '../issuables/index.js';
import type { MergeRequest } from './merge-request.entity.js';
import { isBranch, OPEN } from './open-requests.sql.js';

/** A merge request and where it is. */
export interface LocatedMergeRequest extends Omit<MergeRequest, 'deletedAt'> {
  /** Namespace and path of the target project. */
  projectPath: string;
}

/** A request in a list, whose description may be left to be loaded: then it is null. */
export interface ListedMergeRequest extends LocatedMergeRequest {
  /** Of its description and of that of its milestone. */
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

/** What a merge request's row holds that its members change. */
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
  | 'mergeUserId'
  | 'mergeWhenBuildSucceeds'
  | 'mergeCommitMessage'
  | 'shouldRemoveSourceBranch'
  | 'shouldRemoveGiven'
  | 'forceRemoveSourceBranch'
  | 'forceRemoveGiven'
  | 'forceRemoveById'
>;

/** The two branches that an open request is the only one for. */
export type BranchPair = Pick<
  MergeRequest,
  'projectId' | 'sourceProjectId' | 'sourceBranch' | 'targetBranch'
>;

/** Refuses a second open request for a pair of branches. */
export const OPEN_KEY = 'merge_requests_open_key';

const OWN_COLUMNS = `
  m.id, m.iid, m.project_id AS "projectId", m.source_project_id AS "sourceProjectId",
  m.source_branch AS "sourceBranch", m.target_branch AS "targetBranch",
  m.author_id AS "authorId", m.assignee_id AS "assigneeId", m.updated_by_id AS "updatedById",
  m.milestone_id AS "milestoneId", m.title, m.description, m.state,
  m.merge_status AS "mergeStatus", m.head_sha AS "headSha",
  m.latest_version_id AS "latestVersionId", m.checked_target_sha AS "checkedTargetSha",
  m.merge_commit_sha AS "mergeCommitSha", m.merge_user_id AS "mergeUserId",
  m.merge_when_build_succeeds AS "mergeWhenBuildSucceeds",
  m.merge_commit_message AS "mergeCommitMessage",
  m.should_remove_source_branch AS "shouldRemoveSourceBranch",
  m.should_remove_given AS "shouldRemoveGiven",
  m.force_remove_source_branch AS "forceRemoveSourceBranch",
  m.force_remove_given AS "forceRemoveGiven",
  m.force_remove_by_id AS "forceRemoveById",
  m.created_at AS "createdAt", m.updated_at AS "updatedAt"`;

/** The columns of a `LocatedMergeRequest`: of requests `m`, their projects `p` and namespaces `n`. */
export const COLUMNS = `${OWN_COLUMNS}, n.path || '/' || p.path AS "projectPath"`;

/** Requests `m` that are there, with their target projects `p`; goes on with further conditions. */
export const LIVING = `
  FROM merge_requests m
  JOIN projects p ON p.id = m.project_id AND p.deleted_at IS NULL
  JOIN namespaces n ON n.id = p.namespace_id AND n.deleted_at IS NULL
 WHERE m.deleted_at IS NULL`;

/** Writes and finds single merge requests. */
@Injectable()
export class MergeRequestsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Gives a merge request its number and adds it: whoever makes another one in the target project
   * waits from here to the end of the unit of work. Fails where one is open for the branches.
   * @returns null for a target project that is gone, archived, or has no merge requests any more
   */
  async insert(made: NewMergeRequest): Promise<LocatedMergeRequest | null> {
    const [row] = await this.database.rows<LocatedMergeRequest>(INSERT, [
      ...[made.projectId, made.sourceProjectId, made.sourceBranch, made.targetBranch],
      ...[made.authorId, made.assigneeId, made.milestoneId, made.title, made.description],
      ...[made.forceRemoveSourceBranch, made.forceRemoveGiven, made.forceRemoveById],
    ]);
    return row ?? null;
  }

  /** The title of the request that is open for the branches, but for a given one; null without any. */
  async titleOfOpen(pair: BranchPair, exceptId = 0): Promise<string | null> {
    const [row] = await this.database.rows<Pick<MergeRequest, 'title'>>(OPEN_FOR, [
      ...[pair.sourceProjectId, pair.sourceBranch, pair.projectId, pair.targetBranch],
      exceptId,
    ]);
    return row?.title ?? null;
  }

  /** @param projectId the target project */
  async findIn(projectId: number, id: number): Promise<LocatedMergeRequest | null> {
    const [row] = await this.database.rows<LocatedMergeRequest>(FIND_IN, [id, projectId]);
    return row ?? null;
  }

  /** As `findIn`; nobody else changes or deletes it until the unit of work ends. */
  async lockIn(projectId: number, id: number): Promise<LocatedMergeRequest | null> {
    const [row] = await this.database.rows<LocatedMergeRequest>(LOCK_IN, [id, projectId]);
    return row ?? null;
  }

  /** In no particular order. */
  findByIds(ids: readonly number[]): Promise<LocatedMergeRequest[]> {
    return this.database.rows(FIND_BY_IDS, [ids]);
  }

  /** In no particular order. */
  findHeads(ids: readonly number[]): Promise<HeadOf<LocatedMergeRequest>[]> {
    return this.database.rows(FIND_HEADS, [ids]);
  }

  /** In no particular order. */
  findHeadsByIid(places: readonly NumberInProject[]): Promise<HeadOf<LocatedMergeRequest>[]> {
    const projectIds = places.map(({ projectId }) => projectId);
    return this.database.rows(FIND_HEADS_BY_IID, [projectIds, places.map(({ iid }) => iid)]);
  }

  /** Loads the descriptions that merge requests of a list lack. */
  async withDescriptions(
    mergeRequests: readonly ListedMergeRequest[],
  ): Promise<LocatedMergeRequest[]> {
    const isLacking = ({ description, textBytes }: ListedMergeRequest): boolean =>
      !description && textBytes > 0;
    const lacking = mergeRequests.filter(isLacking);
    if (lacking.length === 0) return [...mergeRequests];
    const rows = await this.database.rows<Pick<MergeRequest, 'id' | 'description'>>(
      'SELECT id, description FROM merge_requests WHERE id = ANY($1::int[])',
      [lacking.map(({ id }) => id)],
    );
    const loaded = new Map(rows.map((row) => [row.id, row]));
    return mergeRequests.map((one) => ({ ...one, ...loaded.get(one.id) }));
  }

  /** The bytes of text that answers about each have, by ID: of its description and its milestone's. */
  async textBytesOf(ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const rows = await this.database.rows<{ id: number; bytes: number }>(TEXT_BYTES, [ids]);
    return new Map(rows.map(({ id, bytes }) => [id, bytes]));
  }

  /** By ID; without those that are gone. */
  async titlesOf(ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const rows = await this.database.rows<Pick<MergeRequest, 'id' | 'title'>>(TITLES, [ids]);
    return new Map(rows.map(({ id, title }) => [id, title]));
  }

  /**
   * Writes what may have changed of a request that the unit of work has locked. Fails where another
   * one is open for the branches.
   * @returns its new time
   */
  async update(changed: ChangedMergeRequest, actorId: number): Promise<Date> {
    const [row] = await this.database.rows<{ updatedAt: Date }>(UPDATE, [
      ...[changed.id, changed.targetBranch, changed.assigneeId, changed.milestoneId],
      ...[changed.title, changed.description, changed.state, changed.mergeUserId],
      ...[changed.mergeWhenBuildSucceeds, changed.mergeCommitMessage],
      ...[changed.shouldRemoveSourceBranch, changed.forceRemoveSourceBranch, actorId],
      ...[changed.mergeStatus, changed.checkedTargetSha],
      ...[changed.shouldRemoveGiven, changed.forceRemoveGiven, changed.forceRemoveById],
    ]);
    if (row === undefined) throw new Error(`Merge request ${changed.id} was not locked`);
    return row.updatedAt;
  }

  /** Those that are open and come to other projects from one of these. */
  openFromForks(sourceIds: readonly number[]): Promise<Pick<MergeRequest, 'id' | 'projectId'>[]> {
    return this.database.rows(OPEN_FROM_FORKS, [sourceIds]);
  }

  /** Hides a request from everybody. Its number is not given away again. */
  async markDeleted(id: number): Promise<void> {
    await this.database.rows('UPDATE merge_requests SET deleted_at = now() WHERE id = $1', [id]);
  }

  /** Moves `updated_at` to now. @returns false for one that is gone */
  async touch(id: number): Promise<boolean> {
    return (await this.database.rows(TOUCH, [id])).length > 0;
  }
}

const INSERT = `
  WITH place AS MATERIALIZED (
    SELECT p.id AS project_id, n.path || '/' || p.path AS path
      FROM projects p JOIN namespaces n ON n.id = p.namespace_id AND n.deleted_at IS NULL
     WHERE p.id = $1 AND p.deleted_at IS NULL AND p.merge_requests_enabled AND NOT p.archived
       FOR KEY SHARE OF p
  ), number AS (${nextNumber(`SELECT project_id, 'MergeRequest' FROM place`)}
  ), m AS (
    INSERT INTO merge_requests (project_id, iid, source_project_id, source_branch, target_branch,
                                author_id, assignee_id, milestone_id, title, description,
                                force_remove_source_branch, force_remove_given, force_remove_by_id)
    SELECT place.project_id, number.iid, $2::int, $3, $4, $5::int, $6::int, $7::int, $8::varchar,
           $9, $10::boolean, $11::boolean, $12::int
      FROM place, number
    RETURNING *)
  SELECT ${OWN_COLUMNS}, place.path AS "projectPath" FROM m, place`;

const OPEN_FOR = `
  SELECT m.title FROM merge_requests m
   WHERE m.source_project_id = $1 AND ${isBranch('m.source_branch', '$2')}
     AND m.project_id = $3 AND ${isBranch('m.target_branch', '$4')} AND ${OPEN} AND m.id <> $5`;

const FIND_IN = `SELECT ${COLUMNS} ${LIVING} AND m.id = $1 AND m.project_id = $2`;
const LOCK_IN = `${FIND_IN} FOR NO KEY UPDATE OF m`;
const FIND_BY_IDS = `SELECT ${COLUMNS} ${LIVING} AND m.id = ANY($1::int[])`;
const HEAD = COLUMNS.replace(' m.description,', '');
const FIND_HEADS = `SELECT ${HEAD} ${LIVING} AND m.id = ANY($1::int[])`;
const FIND_HEADS_BY_IID = `
  SELECT ${HEAD} ${LIVING}
     AND (m.project_id, m.iid) IN (SELECT * FROM unnest($1::int[], $2::int[]))`;
const OPEN_FROM_FORKS = `
  SELECT m.id, m.project_id AS "projectId" FROM merge_requests m
   WHERE m.source_project_id = ANY($1::int[]) AND m.project_id <> m.source_project_id AND ${OPEN}
   ORDER BY m.id`;

const TEXT_BYTES = `
  SELECT m.id, (coalesce(octet_length(m.description), 0)
               + coalesce(octet_length(milestone.description), 0))::int AS bytes
    FROM merge_requests m LEFT JOIN milestones milestone ON milestone.id = m.milestone_id
   WHERE m.id = ANY($1::int[])`;

const TITLES = `SELECT m.id, m.title ${LIVING} AND m.id = ANY($1::int[])`;

const UPDATE = `
  UPDATE merge_requests
     SET target_branch = $2, assignee_id = $3, milestone_id = $4, title = $5, description = $6,
         state = $7, merge_user_id = $8, merge_when_build_succeeds = $9, merge_commit_message = $10,
         should_remove_source_branch = $11, force_remove_source_branch = $12, updated_by_id = $13,
         merge_status = $14, checked_target_sha = $15, should_remove_given = $16,
         force_remove_given = $17, force_remove_by_id = $18, updated_at = now()
   WHERE id = $1
  RETURNING updated_at AS "updatedAt"`;

const TOUCH = `
  UPDATE merge_requests SET updated_at = now() WHERE id = $1 AND deleted_at IS NULL RETURNING id`;
