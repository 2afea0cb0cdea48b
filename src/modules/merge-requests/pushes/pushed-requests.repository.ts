import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { projectLevels, Visibility } from '../../access/index.js';
import type { LocatedMergeRequest } from '../model/merge-requests.repository.js';
import { COLUMNS, FROM_EXISTING, isAmong, isBranch, OPEN } from '../model/merge-request.sql.js';

/** The columns of an open merge request that decide about the effect of a moved target branch. */
export interface TargetingRequest {
  id: number;
  targetBranch: string;
  headSha: string;
  /** Whether its newest version has no commits. */
  isEmpty: boolean;
}

/** A pushed branch with the newest open merge request from it that the pusher may see. */
export interface BranchWithRequest {
  branch: string;
  /** Namespace and path of the project that was pushed to. */
  fullPath: string;
  /** The iid of the request, null without one. */
  iid: number | null;
  /** Namespace and path of its target project. */
  targetPath: string | null;
}

/** Finds and locks the open merge requests of the branches of a push. */
@Injectable()
export class PushedRequestsRepository {
  constructor(private readonly database: Database) {}

  /** Finds the IDs of the requests that come from some branches of a project. */
  async findIdsFrom(projectId: number, branches: readonly string[]): Promise<number[]> {
    const rows = await this.database.rows<{ id: number }>(FIND_IDS_FROM, [projectId, branches]);
    return rows.map(({ id }) => id);
  }

  /** Finds the requests that target some branches of a project and have a head. */
  findTargeting(projectId: number, branches: readonly string[]): Promise<TargetingRequest[]> {
    return this.database.rows(FIND_TARGETING, [projectId, branches]);
  }

  /** Locks and returns those of some requests that are open, in ID order. */
  lock(ids: readonly number[]): Promise<LocatedMergeRequest[]> {
    if (ids.length === 0) return Promise.resolve([]);
    return this.database.rows(LOCK, [ids]);
  }

  /**
   * Locks the requests that come from or target some branches of a project, in ID order. Locking them later, one by
   * one, could deadlock with a concurrent push or merge.
   */
  async lockOfBranches(projectId: number, branches: readonly string[]): Promise<void> {
    await this.database.rows(LOCK_OF_BRANCHES, [projectId, branches]);
  }

  /**
   * Locks the requests that target some branches of a project, and those with some IDs, in ID order, to avoid
   * deadlocks.
   * @returns whether there are any
   */
  async lockAffected(
    projectId: number,
    branches: readonly string[],
    ids: readonly number[],
  ): Promise<boolean> {
    return (await this.database.rows(LOCK_AFFECTED, [projectId, branches, ids])).length > 0;
  }

  /**
   * Sets the merge status of the requests that target some branches, and of those with some IDs, to `unchecked`.
   * @returns the IDs of their target projects
   */
  async resetStatus(
    projectId: number,
    branches: readonly string[],
    ids: readonly number[],
  ): Promise<number[]> {
    const rows = await this.database.rows<{ projectId: number }>(RESET_STATUS, [
      ...[projectId, branches, ids],
    ]);
    return [...new Set(rows.map((row) => row.projectId))];
  }

  /** Has a request no longer wait for its build. */
  async disableAutomaticMerge(id: number): Promise<void> {
    await this.database.rows(DISABLE_AUTOMATIC_MERGE, [id]);
  }

  /** Finds the request of each pushed branch that the pusher may see; none when merge requests are switched off. */
  findForPusher(
    projectId: number,
    branches: readonly string[],
    userId: number,
  ): Promise<BranchWithRequest[]> {
    return this.database.rows(FIND_FOR_PUSHER, [projectId, branches, userId]);
  }
}

const FIND_IDS_FROM = `
  SELECT m.id FROM merge_requests m
   WHERE m.source_project_id = $1 AND ${isAmong('m.source_branch', '$2')} AND ${OPEN}`;

const FIND_TARGETING = `
  SELECT m.id, m.target_branch AS "targetBranch", m.head_sha AS "headSha",
         coalesce(v.state = 'empty', true) AS "isEmpty"
    FROM merge_requests m LEFT JOIN merge_request_versions v ON v.id = m.latest_version_id
   WHERE m.project_id = $1 AND ${isAmong('m.target_branch', '$2')} AND ${OPEN}
     AND m.head_sha IS NOT NULL`;

const LOCK = `
  SELECT ${COLUMNS} ${FROM_EXISTING} AND m.id = ANY($1::int[]) AND ${OPEN}
   ORDER BY m.id
     FOR NO KEY UPDATE OF m`;

const LOCK_OF_BRANCHES = `
  SELECT FROM merge_requests m
   WHERE ((m.project_id = $1 AND ${isAmong('m.target_branch', '$2')})
          OR (m.source_project_id = $1 AND ${isAmong('m.source_branch', '$2')}))
     AND ${OPEN}
   ORDER BY m.id
     FOR NO KEY UPDATE`;

const LOCK_AFFECTED = `
  SELECT m.id FROM merge_requests m
   WHERE ((m.project_id = $1 AND ${isAmong('m.target_branch', '$2')}) OR m.id = ANY($3::int[]))
     AND ${OPEN}
   ORDER BY m.id
     FOR NO KEY UPDATE OF m`;

const RESET_STATUS = `
  WITH affected AS (${LOCK_AFFECTED})
  UPDATE merge_requests m SET merge_status = 'unchecked', checked_target_sha = NULL
    FROM affected WHERE m.id = affected.id
  RETURNING m.project_id AS "projectId"`;

const DISABLE_AUTOMATIC_MERGE = `
  UPDATE merge_requests
     SET merge_when_build_succeeds = false, merge_user_id = NULL, merge_commit_message = NULL,
         should_remove_source_branch = false, should_remove_given = false
   WHERE id = $1 AND merge_when_build_succeeds`;

/** Whether the pusher sees the target project: of a fork they may push to, they may not see the source. */
const SEEN = `(
  m.project_id = p.id OR u.admin
  OR t.visibility_level = ${String(Visibility.PUBLIC)}
  OR t.visibility_level = ${String(Visibility.INTERNAL)} AND NOT u.external
  OR EXISTS (SELECT FROM (${projectLevels('u.id')}) levels WHERE levels.project_id = t.id))`;

// In the order of the given names.
const FIND_FOR_PUSHER = `
  SELECT pushed.branch, n.path || '/' || p.path AS "fullPath", request.iid,
         request.path AS "targetPath"
    FROM projects p
    JOIN namespaces n ON n.id = p.namespace_id
    JOIN users u ON u.id = $3
   CROSS JOIN unnest($2::text[]) WITH ORDINALITY AS pushed (branch, position)
    LEFT JOIN LATERAL (
         SELECT m.iid, tn.path || '/' || t.path AS path
           FROM merge_requests m
           JOIN projects t ON t.id = m.project_id AND t.deleted_at IS NULL
           JOIN namespaces tn ON tn.id = t.namespace_id
          WHERE m.source_project_id = p.id AND ${isBranch('m.source_branch', 'pushed.branch')}
            AND ${OPEN} AND ${SEEN}
          ORDER BY m.id DESC LIMIT 1) request ON true
   WHERE p.id = $1 AND p.merge_requests_enabled
   ORDER BY pushed.position`;
