import { type EntityColumns, opaqueArray } from '../../../platform/database/index.js';
import { projectLevels, Visibility } from '../../access/index.js';
import { givenNumber, nextNumber } from '../../issuables/index.js';
import type { MergeRequest } from './merge-request.entity.js';

// What several statements on merge requests `m` share, and the statements that read whole requests.

/**
 * Lists the columns of a `LocatedMergeRequest`: of requests, their projects `p` and namespaces `n`.
 * @param request alias of the requests
 */
export const locatedColumns = (columns: EntityColumns<MergeRequest>, request = 'm'): string =>
  `${columns.list(request)}, n.path || '/' || p.path AS "projectPath"`;

/** `FROM` and `WHERE` of requests `m` that are not deleted, nor their target projects `p` and namespaces `n`. */
const FROM_EXISTING = `
  FROM merge_requests m
  JOIN projects p ON p.id = m.project_id AND p.deleted_at IS NULL
  JOIN namespaces n ON n.id = p.namespace_id AND n.deleted_at IS NULL
 WHERE m.deleted_at IS NULL`;

/** In the words of the partial indexes on open requests. */
export const OPEN = `m.state IN ('opened', 'reopened') AND m.deleted_at IS NULL`;

/**
 * Compares a column with the name of a branch. The indexes hold hashes of names; the second condition excludes
 * other names with the same hash.
 * @param name a parameter or column
 */
export const isBranch = (column: string, name: string): string =>
  `md5(${column}) = md5(${name}) AND ${column} = ${name}`;

/** @param names a parameter with an array of branch names */
const isAmong = (column: string, names: string): string => `
  md5(${column}) = ANY(ARRAY(SELECT md5(name) FROM unnest(${names}::text[]) AS name))
  AND ${column} = ANY(${names}::text[])`;

// Goes on with the columns of the new request `m`.
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
    RETURNING *)`;

export const INSERT_IMPORTED = `
  WITH number AS (${givenNumber(`
    SELECT id, 'MergeRequest', $2::int FROM projects
     WHERE id = $1 AND deleted_at IS NULL FOR KEY SHARE`)}
  )
  INSERT INTO merge_requests (project_id, iid, source_project_id, source_branch, target_branch,
                              author_id, assignee_id, milestone_id, title, description, state,
                              merge_status, merge_commit_sha, created_at, updated_at)
  SELECT project_id, $2::int, $3::int, $4, $5, $6::int, $7::int, $8::int, $9::varchar, $10,
         $11::varchar, $12::varchar, $13::varchar, $14::timestamptz, $15::timestamptz
    FROM number
  ON CONFLICT (project_id, iid) DO NOTHING
  RETURNING id`;

/** The statements that read whole requests. @param columns those of a `LocatedMergeRequest` */
export function requestStatements(columns: EntityColumns<MergeRequest>) {
  const requests = `SELECT ${locatedColumns(columns)} ${FROM_EXISTING}`;
  const heads = `SELECT ${locatedColumns(columns.without('description'))} ${FROM_EXISTING}`;
  const findIn = `${requests} AND m.id = $1 AND m.project_id = $2`;
  return {
    findIn,
    lockIn: `${findIn} FOR NO KEY UPDATE OF m`,
    lockOpen: `${requests} AND m.id = ANY($1::int[]) AND ${OPEN} ORDER BY m.id FOR NO KEY UPDATE OF m`,
    findByIds: `${requests} AND m.id = ANY($1::int[])`,
    findHeads: `${heads} AND m.id = ANY(${opaqueArray('$1', 'int')})`,
    findHeadsByIid: `
      ${heads} AND (m.project_id, m.iid) IN (SELECT * FROM unnest($1::int[], $2::int[]))`,
    insert: `${INSERT} SELECT ${columns.list('m')}, target.path AS "projectPath" FROM m, target`,
  };
}

export type RequestStatements = ReturnType<typeof requestStatements>;

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
