import type { EntityColumns } from '../../../platform/database/index.js';
import { nextNumber } from '../../issuables/index.js';
import type { MergeRequest } from './merge-request.entity.js';

// What several statements on merge requests `m` share, and the statements that read whole requests.

/** Lists the columns of a `LocatedMergeRequest`: of requests `m`, their projects `p` and namespaces `n`. */
export const locatedColumns = (columns: EntityColumns<MergeRequest>): string =>
  `${columns.list('m')}, n.path || '/' || p.path AS "projectPath"`;

/** `FROM` and `WHERE` of requests `m` that are not deleted, nor their target projects `p` and namespaces `n`. */
export const FROM_EXISTING = `
  FROM merge_requests m
  JOIN projects p ON p.id = m.project_id AND p.deleted_at IS NULL
  JOIN namespaces n ON n.id = p.namespace_id AND n.deleted_at IS NULL
 WHERE m.deleted_at IS NULL`;

/** In the words of the partial indexes on open requests. */
export const OPEN = `m.state IN ('opened', 'reopened') AND m.deleted_at IS NULL`;

// The indexes hold hashes of branch names; the second condition tells names of one hash apart.

/** @param name a parameter or column with the name of a branch */
export const isBranch = (column: string, name: string): string =>
  `md5(${column}) = md5(${name}) AND ${column} = ${name}`;

/** @param names a parameter with an array of branch names */
export const isAmong = (column: string, names: string): string => `
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
    findHeads: `${heads} AND m.id = ANY($1::int[])`,
    findHeadsByIid: `
      ${heads} AND (m.project_id, m.iid) IN (SELECT * FROM unnest($1::int[], $2::int[]))`,
    insert: `${INSERT} SELECT ${columns.list('m')}, target.path AS "projectPath" FROM m, target`,
  };
}

export type RequestStatements = ReturnType<typeof requestStatements>;
