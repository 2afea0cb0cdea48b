import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { COLUMNS, LIVING, type LocatedMergeRequest } from '../merge-requests.repository.js';
import { isAmong, OPEN } from '../open-requests.sql.js';

/** What has to be known of an open merge request to see what a move of its target means to it. */
export interface TargetedRequest {
  id: number;
  targetBranch: string;
  headSha: string;
  /** Whether its newest version has no commits. */
  isEmpty: boolean;
}

/** Open merge requests by their branches: what pushes concern. */
@Injectable()
export class FollowedRequestsRepository {
  constructor(private readonly database: Database) {}

  /** IDs of those that come from some branches of a project. */
  async comingFrom(projectId: number, branches: readonly string[]): Promise<number[]> {
    const rows = await this.database.rows<{ id: number }>(COMING_FROM, [projectId, branches]);
    return rows.map(({ id }) => id);
  }

  /** Those that go to some branches of a project and have a head. */
  goingTo(projectId: number, branches: readonly string[]): Promise<TargetedRequest[]> {
    return this.database.rows(GOING_TO, [projectId, branches]);
  }

  /** Those of some requests that are open, in the order of their IDs; nobody else changes them. */
  lock(ids: readonly number[]): Promise<LocatedMergeRequest[]> {
    if (ids.length === 0) return Promise.resolve([]);
    return this.database.rows(LOCK, [ids]);
  }

  /**
   * Nobody else changes those that come from or go to some branches, which are moved. Taken in the order
   * that everybody keeps to, before any of them is held.
   */
  async hold(projectId: number, branches: readonly string[]): Promise<void> {
    await this.database.rows(HOLD, [projectId, branches]);
  }

  /**
   * Locks the open ones that go to some branches of a project, and some more, in the order of their IDs,
   * which is everybody's.
   * @returns whether there are any
   */
  async lockConcerned(
    projectId: number,
    branches: readonly string[],
    ids: readonly number[],
  ): Promise<boolean> {
    return (await this.database.rows(DOUBTFUL, [projectId, branches, ids])).length > 0;
  }

  /**
   * Nobody knows any more whether those that go to some branches, or that are named, can be merged.
   * @returns the projects that they go to
   */
  async uncheck(
    projectId: number,
    branches: readonly string[],
    ids: readonly number[] = [],
  ): Promise<number[]> {
    const rows = await this.database.rows<{ projectId: number }>(UNCHECK, [
      projectId,
      branches,
      ids,
    ]);
    return [...new Set(rows.map((row) => row.projectId))];
  }

  /** Has one that waits for its build wait no longer, since it has another head. */
  async stopWaiting(id: number): Promise<void> {
    await this.database.rows(STOP_WAITING, [id]);
  }

  /** IDs of open ones of a project of which nobody knows whether they can be merged, in their order. */
  async unchecked(projectId: number, afterId: number, limit: number): Promise<number[]> {
    const rows = await this.database.rows<{ id: number }>(UNCHECKED, [projectId, afterId, limit]);
    return rows.map(({ id }) => id);
  }
}

const COMING_FROM = `
  SELECT m.id FROM merge_requests m
   WHERE m.source_project_id = $1 AND ${isAmong('m.source_branch', '$2')} AND ${OPEN}`;

const GOING_TO = `
  SELECT m.id, m.target_branch AS "targetBranch", m.head_sha AS "headSha",
         coalesce(v.state = 'empty', true) AS "isEmpty"
    FROM merge_requests m LEFT JOIN merge_request_versions v ON v.id = m.latest_version_id
   WHERE m.project_id = $1 AND ${isAmong('m.target_branch', '$2')} AND ${OPEN}
     AND m.head_sha IS NOT NULL`;

const LOCK = `
  SELECT ${COLUMNS} ${LIVING} AND m.id = ANY($1::int[]) AND ${OPEN}
   ORDER BY m.id
     FOR NO KEY UPDATE OF m`;

const HOLD = `
  SELECT FROM merge_requests m
   WHERE ((m.project_id = $1 AND ${isAmong('m.target_branch', '$2')})
          OR (m.source_project_id = $1 AND ${isAmong('m.source_branch', '$2')}))
     AND ${OPEN}
   ORDER BY m.id
     FOR NO KEY UPDATE`;

const DOUBTFUL = `
  SELECT m.id FROM merge_requests m
   WHERE ((m.project_id = $1 AND ${isAmong('m.target_branch', '$2')}) OR m.id = ANY($3::int[]))
     AND ${OPEN}
   ORDER BY m.id
     FOR NO KEY UPDATE OF m`;

const UNCHECK = `
  WITH doubtful AS (${DOUBTFUL})
  UPDATE merge_requests m SET merge_status = 'unchecked', checked_target_sha = NULL
    FROM doubtful WHERE m.id = doubtful.id
  RETURNING m.project_id AS "projectId"`;

const STOP_WAITING = `
  UPDATE merge_requests
     SET merge_when_build_succeeds = false, merge_user_id = NULL, merge_commit_message = NULL,
         should_remove_source_branch = false, should_remove_given = false
   WHERE id = $1 AND merge_when_build_succeeds`;

const UNCHECKED = `
  SELECT m.id FROM merge_requests m
   WHERE m.project_id = $1 AND m.id > $2 AND m.merge_status = 'unchecked' AND ${OPEN}
   ORDER BY m.id LIMIT $3`;
