import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Oid } from '../../../git/index.js';
import { Database, notDeleted, opaqueArray, rowById } from '../../../platform/database/index.js';
import type { PageRequest } from '../../../platform/pagination/index.js';
import {
  type MergeRequest,
  type MergeRequestState,
  MergeRequestVersion,
  type MergeStatus,
} from '../model/merge-request.entity.js';
import { OPEN } from '../model/merge-request.sql.js';
import type { BranchPair } from '../model/merge-requests.repository.js';

/** The heads of the two branches of a version. */
export interface VersionEnds {
  start: Oid;
  head: Oid;
}

/** A version without its keys and time. */
export type VersionContents = Pick<
  MergeRequestVersion,
  'baseCommitSha' | 'startCommitSha' | 'headCommitSha' | 'state' | 'realSize'
>;

export interface RecordedVersion extends VersionEnds {
  /** Whether it has no commits. */
  isEmpty: boolean;
}

/** The commits that a version needs. */
export interface KeptVersion {
  readonly id: number;
  /** Of the merge request. */
  readonly iid: number;
  /** Its ends, which hidden refs keep. */
  readonly kept: readonly Oid[];
  /** The merge base, and the merge commit and the squash commit of the request. */
  readonly others: readonly Oid[];
}

/** The commits that a merge request is about. */
export interface RequestCommits {
  readonly id: number;
  readonly iid: number;
  readonly mergeCommitSha: Oid | null;
  readonly squashCommitSha: Oid | null;
  /** Those of the newest version; null when the branches never existed. */
  readonly start: Oid | null;
  readonly head: Oid | null;
}

/** The columns of a merge request that its merge status depends on. */
export type CheckedRequest = BranchPair &
  Pick<MergeRequest, 'id' | 'state' | 'mergeStatus' | 'headSha'>;

/** Some 300 bytes each. */
const KNOWN_VERSIONS = 5_000;

/** Versions of merge requests, and the merge status that was found for the newest one. */
@Injectable()
export class VersionsRepository {
  /** By ID. A version never changes, and its ID is not used again. */
  private readonly known = new LRUCache<number, MergeRequestVersion>({ max: KNOWN_VERSIONS });

  constructor(private readonly database: Database) {}

  /** Lists the versions of a request, newest first, and counts them. */
  async list(
    mergeRequestId: number,
    { page, perPage }: PageRequest,
  ): Promise<{ versions: MergeRequestVersion[]; total: number }> {
    const [versions, total] = await this.database.of(MergeRequestVersion).findAndCount({
      where: { mergeRequestId },
      order: { id: 'DESC' },
      skip: (page - 1) * perPage,
      take: perPage,
    });
    return { versions, total };
  }

  async find(mergeRequestId: number, id: number): Promise<MergeRequestVersion | null> {
    const known = this.known.get(id);
    if (known?.mergeRequestId === mergeRequestId) return known;
    const found = await this.database.of(MergeRequestVersion).findOneBy({ id, mergeRequestId });
    if (found !== null) this.known.set(id, found);
    return found;
  }

  /** Finds the commits of the newest version of a request. */
  async findNewest(mergeRequestId: number): Promise<RecordedVersion | null> {
    const [row] = await this.database.rows<RecordedVersion>(FIND_NEWEST, [mergeRequestId]);
    return row ?? null;
  }

  /** Finds all commits of the newest version of a request; null without one, and if it has no merge base. */
  async findNewestCommits(
    mergeRequestId: number,
  ): Promise<{ base: Oid; start: Oid; head: Oid } | null> {
    const [row] = await this.database.rows<{ base: Oid; start: Oid; head: Oid }>(
      FIND_NEWEST_COMMITS,
      [mergeRequestId],
    );
    return row ?? null;
  }

  /** Finds whether a commit is the head of a version of a request, and which of some others are its merge base or start. */
  async findCommits(
    mergeRequestId: number,
    head: Oid,
    others: readonly Oid[],
  ): Promise<{ hasHead: boolean; starts: readonly Oid[] }> {
    const [row] = await this.database.rows<{ hasHead: boolean; starts: Oid[] }>(FIND_COMMITS, [
      mergeRequestId,
      head,
      others,
    ]);
    return row ?? { hasHead: false, starts: [] };
  }

  /** Lists the commits of the newest merge requests of a project that are in some states. */
  listCommits(
    projectId: number,
    states: readonly MergeRequestState[],
    limit: number,
  ): Promise<RequestCommits[]> {
    return this.database.rows(LIST_COMMITS, [projectId, states, limit]);
  }

  /** Finds the heads of the newest versions of a request, each once; at most 1,000. */
  async findHeads(mergeRequestId: number): Promise<Oid[]> {
    const rows = await this.database.rows<{ head: Oid }>(FIND_HEADS, [mergeRequestId]);
    return [...new Set(rows.map(({ head }) => head))];
  }

  /**
   * Inserts a version, which becomes the newest one of its request.
   * @param createdAt now if absent
   */
  async insert(mergeRequestId: number, version: VersionContents, createdAt?: Date): Promise<void> {
    const { baseCommitSha, startCommitSha, headCommitSha, state, realSize } = version;
    await this.database.rows(INSERT, [
      mergeRequestId,
      baseCommitSha,
      startCommitSha,
      headCommitSha,
      state,
      realSize,
      createdAt ?? null,
    ]);
  }

  /** Lists the versions of all merge requests of a project that are not deleted, in the order of their IDs. */
  listOfProject(projectId: number, afterId: number, limit: number): Promise<KeptVersion[]> {
    return this.database.rows<KeptVersion>(LIST_OF_PROJECT, [projectId, afterId, limit]);
  }

  /** Finds the columns that a merge status depends on. */
  async findChecked(mergeRequestId: number): Promise<CheckedRequest | null> {
    const [row] = await this.database.rows<CheckedRequest>(FIND_CHECKED, [mergeRequestId]);
    return row ?? null;
  }

  /** Finds the same and locks the row to the end of the unit of work. */
  async lockChecked(mergeRequestId: number): Promise<CheckedRequest | null> {
    const [row] = await this.database.rows<CheckedRequest>(LOCK_CHECKED, [mergeRequestId]);
    return row ?? null;
  }

  /** Finds the IDs of open requests of a project with the status `unchecked`, in ID order. */
  async findUnchecked(projectId: number, afterId: number, limit: number): Promise<number[]> {
    const rows = await this.database.rows<{ id: number }>(FIND_UNCHECKED, [
      projectId,
      afterId,
      limit,
    ]);
    return rows.map(({ id }) => id);
  }

  /** @param targetSha the head of the target branch that the status was found for */
  async setStatus(id: number, status: MergeStatus, targetSha: string | null): Promise<void> {
    await this.database.rows(SET_STATUS, [id, status, targetSha]);
  }

  /** Sets the status to `unchecked`. */
  resetStatus(id: number): Promise<void> {
    return this.setStatus(id, 'unchecked', null);
  }
}

const FIND_NEWEST = `
  SELECT v.start_commit_sha AS start, v.head_commit_sha AS head, v.state = 'empty' AS "isEmpty"
    FROM merge_requests m JOIN merge_request_versions v ON v.id = m.latest_version_id
   WHERE m.id = $1`;

const FIND_NEWEST_COMMITS = `
  SELECT v.base_commit_sha AS base, v.start_commit_sha AS start, v.head_commit_sha AS head
    FROM merge_requests m JOIN merge_request_versions v ON v.id = m.latest_version_id
   WHERE m.id = $1 AND v.base_commit_sha IS NOT NULL`;

const FIND_COMMITS = `
  SELECT EXISTS (SELECT 1 FROM merge_request_versions
                  WHERE merge_request_id = $1 AND head_commit_sha = $2) AS "hasHead",
         ARRAY(SELECT sha FROM unnest($3::text[]) AS given (sha)
                WHERE EXISTS (SELECT 1 FROM merge_request_versions v
                               WHERE v.merge_request_id = $1
                                 AND given.sha IN (v.base_commit_sha, v.start_commit_sha))) AS starts`;

const LIST_COMMITS = `
  SELECT m.id, m.iid, m.merge_commit_sha AS "mergeCommitSha",
         m.squash_commit_sha AS "squashCommitSha",
         v.start_commit_sha AS start, v.head_commit_sha AS head
    FROM (SELECT * FROM merge_requests
           WHERE project_id = $1 AND state = ANY(${opaqueArray('$2', 'varchar')}) AND ${notDeleted()}
           ORDER BY iid DESC LIMIT $3) m
    LEFT JOIN ${rowById('merge_request_versions', 'm.latest_version_id')} v ON true
   ORDER BY m.iid DESC`;

const FIND_HEADS = `
  SELECT head_commit_sha AS head FROM merge_request_versions
   WHERE merge_request_id = $1 ORDER BY id DESC LIMIT 1000`;

const INSERT = `
  WITH recorded AS (
    INSERT INTO merge_request_versions
      (merge_request_id, base_commit_sha, start_commit_sha, head_commit_sha, state, real_size,
       created_at)
    VALUES ($1, $2, $3, $4, $5, $6, coalesce($7::timestamptz, now()))
    RETURNING id)
  UPDATE merge_requests m SET head_sha = $4, latest_version_id = recorded.id
    FROM recorded WHERE m.id = $1`;

const LIST_OF_PROJECT = `
  SELECT v.id, m.iid, ARRAY[v.start_commit_sha, v.head_commit_sha] AS kept,
         array_remove(
           ARRAY[v.base_commit_sha,
                 CASE WHEN m.state = 'merged' AND v.id = m.latest_version_id
                      THEN m.merge_commit_sha END,
                 CASE WHEN m.state = 'merged' AND v.id = m.latest_version_id
                      THEN m.squash_commit_sha END],
           NULL) AS others
    FROM merge_requests m JOIN merge_request_versions v ON v.merge_request_id = m.id
   WHERE m.project_id = $1 AND m.deleted_at IS NULL AND v.id > $2
   ORDER BY v.id LIMIT $3`;

const FIND_CHECKED = `
  SELECT id, project_id AS "projectId", source_project_id AS "sourceProjectId",
         source_branch AS "sourceBranch", target_branch AS "targetBranch", state,
         merge_status AS "mergeStatus", head_sha AS "headSha"
    FROM merge_requests WHERE id = $1 AND ${notDeleted()}`;

const LOCK_CHECKED = `${FIND_CHECKED} FOR NO KEY UPDATE`;

const FIND_UNCHECKED = `
  SELECT m.id FROM merge_requests m
   WHERE m.project_id = $1 AND m.id > $2 AND m.merge_status = 'unchecked' AND ${OPEN}
   ORDER BY m.id LIMIT $3`;

const SET_STATUS = `
  UPDATE merge_requests SET merge_status = $2, checked_target_sha = $3 WHERE id = $1`;
