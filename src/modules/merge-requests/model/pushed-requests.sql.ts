import { projectLevels, Visibility } from '../../access/index.js';
import { isAmong, isBranch, OPEN } from './merge-request.sql.js';

// Statements on the merge requests of the branches of a push.

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

export const FIND_IDS_FROM = `
  SELECT m.id FROM merge_requests m
   WHERE m.source_project_id = $1 AND ${isAmong('m.source_branch', '$2')} AND ${OPEN}`;

export const FIND_TARGETING = `
  SELECT m.id, m.target_branch AS "targetBranch", m.head_sha AS "headSha",
         coalesce(v.state = 'empty', true) AS "isEmpty"
    FROM merge_requests m LEFT JOIN merge_request_versions v ON v.id = m.latest_version_id
   WHERE m.project_id = $1 AND ${isAmong('m.target_branch', '$2')} AND ${OPEN}
     AND m.head_sha IS NOT NULL`;

/** Locks the open requests that come from or target branches ($2) of a project ($1), in ID order. */
export const LOCK_OF_BRANCHES = `
  SELECT m.id, m.state, m.title, m.head_sha AS "headSha", m.target_branch AS "targetBranch",
         m.merge_when_build_succeeds AS "mergeWhenBuildSucceeds", m.merge_user_id AS "mergeUserId"
    FROM merge_requests m
   WHERE ((m.project_id = $1 AND ${isAmong('m.target_branch', '$2')})
          OR (m.source_project_id = $1 AND ${isAmong('m.source_branch', '$2')}))
     AND ${OPEN}
   ORDER BY m.id
     FOR NO KEY UPDATE`;

export const LOCK_AFFECTED = `
  SELECT m.id FROM merge_requests m
   WHERE ((m.project_id = $1 AND ${isAmong('m.target_branch', '$2')}) OR m.id = ANY($3::int[]))
     AND ${OPEN}
   ORDER BY m.id
     FOR NO KEY UPDATE OF m`;

export const RESET_STATUS = `
  WITH affected AS (${LOCK_AFFECTED})
  UPDATE merge_requests m SET merge_status = 'unchecked', checked_target_sha = NULL
    FROM affected WHERE m.id = affected.id
  RETURNING m.project_id AS "projectId"`;

export const DISABLE_AUTOMATIC_MERGE = `
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
export const FIND_FOR_PUSHER = `
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
