import {
  checked,
  type EntityColumns,
  inOrderOf,
  notDeleted,
  opaqueArray,
  rowById,
  rowsByIds,
  rowsByKey,
  rowsWhere,
} from '../../../platform/database/index.js';
import { existingProject, levelById, VISIBILITY_LEVEL } from '../../authorization/index.js';
import { givenNumber, nextNumber } from '../../issuables/index.js';
import type { MergeRequest } from './merge-request.entity.js';

// What several statements on merge requests `m` share, and the statements that read whole requests.

/**
 * Lists the columns of a `LocatedMergeRequest`: of requests, their projects `p` and namespaces `n`.
 * @param request alias of the requests
 */
export const locatedColumns = (columns: EntityColumns<MergeRequest>, request = 'm'): string =>
  `${columns.list(request)}, n.path || '/' || p.path AS "projectPath"`;

/**
 * `FROM` and `WHERE` of requests `m` that are not deleted, nor their target projects `p` and namespaces `n`.
 * @param requests the table, or what selects rows of it
 */
const fromExisting = (requests: string): string => `
  FROM ${requests} m
  ${existingProject('m.project_id')}
 WHERE ${notDeleted('m')}`;

/** In the words of the partial indexes on open requests. @param request the alias, or the table */
const isOpen = (request: string): string =>
  `${request}.state IN ('opened', 'reopened') AND ${request}.deleted_at IS NULL`;

export const OPEN = isOpen('m');

/** The columns of an index of open requests, which goes on with the hash of the branch. */
interface BranchIndex {
  readonly project: string;
  readonly branch: string;
}

const SOURCE: BranchIndex = { project: 'source_project_id', branch: 'source_branch' };
const TARGET: BranchIndex = { project: 'project_id', branch: 'target_branch' };

/** A part of FROM. The index holds hashes of names; other names with the same hash are left out. */
const openOfBranch = (index: BranchIndex, project: string, branch: string): string =>
  rowsByKey(
    'merge_requests',
    `md5(${index.branch})`,
    `md5(${branch})`,
    `${index.project} = ${project} AND ${index.branch} = ${branch} AND ${isOpen('merge_requests')}`,
  );

/** A part of FROM: the open requests `m` from or into branches ($2) of a project ($1). */
const openOfBranches = (index: BranchIndex): string => `
  (SELECT DISTINCT name FROM unnest($2::text[]) AS name) AS pushed (branch)
  CROSS JOIN ${openOfBranch(index, '$1', 'pushed.branch')} m`;

/** A part of FROM: the open requests from a branch of a project. Parameters, or columns of what stands before. */
export const openFromBranch = (project: string, branch: string): string =>
  openOfBranch(SOURCE, project, branch);

/** A part of FROM: the open requests from a project. @param project as in `rowsByKey` */
export const openFrom = (project: string): string =>
  rowsByKey('merge_requests', 'source_project_id', project, isOpen('merge_requests'));

const OPEN_FROM_BRANCHES = openOfBranches(SOURCE);
const OPEN_INTO_BRANCHES = openOfBranches(TARGET);

// Goes on with the columns of the new request `m`.
const INSERT = `
  WITH target AS MATERIALIZED (
    SELECT p.id AS project_id, n.path || '/' || p.path AS path,
           p.squash_option IN ('always', 'default_on') AS squash
      FROM projects p
      JOIN ${rowById('namespaces', 'p.namespace_id')} n ON n.deleted_at IS NULL
     WHERE p.id = $1 AND ${notDeleted('p')} AND p.merge_requests_enabled AND NOT p.archived
       FOR KEY SHARE OF p
  ), number AS (${nextNumber(`SELECT project_id, 'MergeRequest' FROM target`)}
  ), m AS (
    INSERT INTO merge_requests (project_id, iid, source_project_id, source_branch, target_branch,
                                author_id, assignee_ids, milestone_id, title, description,
                                force_remove_source_branch, force_remove_given, force_remove_by_id,
                                reviewer_ids, squash)
    SELECT target.project_id, number.iid, $2::int, $3, $4, $5::int, $6::int[], $7::int, $8::varchar,
           $9, $10::boolean, $11::boolean, $12::int, $13::int[], coalesce($14::boolean, target.squash)
      FROM target, number
    RETURNING *)`;

export const INSERT_IMPORTED = `
  WITH number AS (${givenNumber(`
    SELECT id, 'MergeRequest', $2::int FROM projects
     WHERE id = $1 AND ${notDeleted()} FOR KEY SHARE`)}
  )
  INSERT INTO merge_requests (project_id, iid, source_project_id, source_branch, target_branch,
                              author_id, assignee_ids, milestone_id, title, description, state,
                              merge_status, merge_commit_sha, created_at, updated_at)
  SELECT project_id, $2::int, $3::int, $4, $5, $6::int, $7::int[], $8::int, $9::varchar, $10,
         $11::varchar, $12::varchar, $13::varchar, $14::timestamptz, $15::timestamptz
    FROM number
  ON CONFLICT (project_id, iid) DO NOTHING
  RETURNING id`;

const BY_IDS = rowsByIds('merge_requests', opaqueArray('$1', 'int'));

const BY_IIDS = `
  unnest($1::int[], $2::int[]) AS asked (project_id, iid)
  CROSS JOIN ${rowsWhere('merge_requests', 'project_id = asked.project_id AND iid = asked.iid')}`;

/** The statements that read whole requests. @param columns those of a `LocatedMergeRequest` */
export function requestStatements(columns: EntityColumns<MergeRequest>) {
  const requests = `SELECT ${locatedColumns(columns)}`;
  const heads = `SELECT ${locatedColumns(columns.without('description'))}`;
  const findIn = `${requests} ${fromExisting('merge_requests')} AND m.id = $1 AND ${checked('m.project_id = $2')}`;
  return {
    findIn,
    lockIn: `${findIn} FOR NO KEY UPDATE OF m`,
    lockOpen: `
      ${requests} ${fromExisting('merge_requests')}
         AND m.id = ANY($1::int[]) AND ${checked(OPEN)} ${inOrderOf('m.id')} FOR NO KEY UPDATE OF m`,
    findByIds: `${requests} ${fromExisting(BY_IDS)}`,
    findHeads: `${heads} ${fromExisting(BY_IDS)}`,
    findHeadsByIid: `${heads} ${fromExisting(BY_IIDS)}`,
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

export const FIND_IDS_FROM = `SELECT m.id FROM ${OPEN_FROM_BRANCHES}`;

export const FIND_TARGETING = `
  SELECT m.id, m.target_branch AS "targetBranch", m.head_sha AS "headSha",
         coalesce(v.state = 'empty', true) AS "isEmpty"
    FROM ${OPEN_INTO_BRANCHES}
    LEFT JOIN ${rowById('merge_request_versions', 'm.latest_version_id')} v ON true
   WHERE m.head_sha IS NOT NULL`;

/** Locks the open requests that come from or target branches ($2) of a project ($1), in ID order. */
export const LOCK_OF_BRANCHES = `
  SELECT m.id, m.state, m.title, m.head_sha AS "headSha", m.target_branch AS "targetBranch", m.squash,
         m.approved_by_ids AS "approvedByIds",
         m.merge_when_build_succeeds AS "mergeWhenBuildSucceeds", m.merge_user_id AS "mergeUserId"
    FROM merge_requests m
   WHERE m.id = ANY(ARRAY(SELECT m.id FROM ${OPEN_INTO_BRANCHES}
                          UNION SELECT m.id FROM ${OPEN_FROM_BRANCHES}))
     AND ${checked(`
       (m.project_id = $1 AND m.target_branch = ANY($2::text[])
        OR m.source_project_id = $1 AND m.source_branch = ANY($2::text[])) AND ${OPEN}`)}
   ${inOrderOf('m.id')}
     FOR NO KEY UPDATE`;

export const LOCK_AFFECTED = `
  SELECT m.id FROM merge_requests m
   WHERE m.id = ANY(ARRAY(SELECT m.id FROM ${OPEN_INTO_BRANCHES} UNION SELECT unnest($3::int[])))
     AND ${checked(`
       (m.project_id = $1 AND m.target_branch = ANY($2::text[]) OR m.id = ANY($3::int[])) AND ${OPEN}`)}
   ${inOrderOf('m.id')}
     FOR NO KEY UPDATE OF m`;

export const RESET_STATUS = `
  WITH affected AS (${LOCK_AFFECTED})
  UPDATE merge_requests m SET merge_status = 'unchecked', checked_target_sha = NULL
    FROM affected WHERE m.id = affected.id
  RETURNING m.project_id AS "projectId"`;

export const DISABLE_AUTOMATIC_MERGE = `
  UPDATE merge_requests
     SET merge_when_build_succeeds = false, merges_without_build = false, merge_user_id = NULL, merge_commit_message = NULL,
         squash_commit_message = NULL, should_remove_source_branch = false, should_remove_given = false
   WHERE id = $1 AND merge_when_build_succeeds`;

/** Whether the pusher sees the target project: of a fork they may push to, they may not see the source. */
const SEEN = `(
  m.project_id = p.id OR u.admin
  OR t.visibility_level = ${String(VISIBILITY_LEVEL.public)}
  OR t.visibility_level = ${String(VISIBILITY_LEVEL.internal)} AND NOT u.external
  OR ${levelById('t.id', 'u.id')} > 0)`;

// In the order of the given names.
export const FIND_FOR_PUSHER = `
  SELECT pushed.branch, n.path || '/' || p.path AS "fullPath", request.iid,
         request.path AS "targetPath"
    FROM projects p
    JOIN ${rowById('namespaces', 'p.namespace_id')} n ON true
    JOIN ${rowById('users', '$3')} u ON true
   CROSS JOIN unnest($2::text[]) WITH ORDINALITY AS pushed (branch, position)
    LEFT JOIN LATERAL (
         SELECT m.iid, tn.path || '/' || t.path AS path
           FROM ${openFromBranch('p.id', 'pushed.branch')} m
           JOIN ${rowById('projects', 'm.project_id')} t ON t.deleted_at IS NULL
           JOIN ${rowById('namespaces', 't.namespace_id')} tn ON true
          WHERE ${SEEN}
          ORDER BY m.id DESC LIMIT 1) request ON true
   WHERE p.id = $1 AND p.merge_requests_enabled
   ORDER BY pushed.position`;
