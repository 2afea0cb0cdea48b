import {
  AUTHOR,
  AUTHORS,
  LABEL,
  MILESTONE,
  moment,
  PROJECT,
  TRACKER_KINDS,
  TRACKER_READER,
} from './tracker-rows.mjs';

/**
 * The rows that make one project's list of merge requests long: each entry inserts the numbers $1 to $2
 * of one kind, $3 is the scale. Most are merged; what is open is known to be mergeable.
 * @typedef {{ mergeRequests: number }} MergeRequestScale
 */

const all = "($3::jsonb->>'mergeRequests')::int";
/** A commit's hash; no repository has it. */
const hash = (number) => `lpad(to_hex(${number}), 40, 'a')`;

/** @type {import('./rows.mjs').Kind[]} */
export const MERGE_REQUEST_KINDS = [
  ...TRACKER_KINDS,
  {
    what: 'merge requests',
    count: ({ mergeRequests }) => mergeRequests,
    sql: `INSERT INTO merge_requests (iid, project_id, source_project_id, source_branch,
            target_branch, author_id, assignee_id, milestone_id, title, description, state,
            merge_status, head_sha, created_at, updated_at)
          SELECT n, ${PROJECT}, ${PROJECT}, 'topic/' || n, 'master', ${AUTHOR} + 1 + n % ${AUTHORS},
                 CASE n % 3 WHEN 0 THEN ${AUTHOR} + 1 + n * 7 % ${AUTHORS} END,
                 CASE n % 4 WHEN 0 THEN ${MILESTONE} + 1 END, 'Request ' || n, 'Why ' || n || ' is needed',
                 (ARRAY['opened', 'reopened', 'closed', 'merged'])[1 + least(3, n % 20)],
                 'can_be_merged', ${hash('n')},
                 ${moment(`${all} - n`)}, ${moment('n::bigint * 7919 % 1000003')}
            FROM generate_series($1::int, $2::int) n`,
  },
  {
    what: 'versions',
    count: ({ mergeRequests }) => mergeRequests * 2,
    sql: `INSERT INTO merge_request_versions (merge_request_id, base_commit_sha, start_commit_sha,
            head_commit_sha, state, real_size)
          SELECT m.id, ${hash('n + 1')}, ${hash('n + 1')}, m.head_sha, 'collected', '1'
            FROM generate_series($1::int, $2::int) n
            JOIN merge_requests m ON m.project_id = ${PROJECT} AND m.iid = 1 + (n - 1) / 2
           WHERE $3::jsonb IS NOT NULL`,
  },
  {
    what: 'labels of merge requests',
    count: ({ mergeRequests }) => mergeRequests,
    sql: `INSERT INTO label_links (target_type, target_id, created_at, state, confidential,
            author_id, label_id)
          SELECT 'MergeRequest', m.id, m.created_at, m.state, false, m.author_id, ${LABEL} + 1 + n % 50
            FROM generate_series($1::int, $2::int) n
            JOIN merge_requests m ON m.project_id = ${PROJECT} AND m.iid = n
           WHERE $3::jsonb IS NOT NULL`,
  },
  {
    what: 'notes',
    count: ({ mergeRequests }) => mergeRequests * 2,
    sql: `INSERT INTO notes (project_id, noteable_type, noteable_id, author_id, body)
          SELECT ${PROJECT}, 'MergeRequest', m.id, ${AUTHOR} + 1 + n % ${AUTHORS}, 'A word on it'
            FROM generate_series($1::int, $2::int) n
            JOIN merge_requests m ON m.project_id = ${PROJECT} AND m.iid = 1 + (n - 1) / 2
           WHERE $3::jsonb IS NOT NULL`,
  },
  {
    what: 'numbers',
    count: () => 1,
    sql: `INSERT INTO internal_ids (project_id, kind, last_iid)
          SELECT ${PROJECT}, 'MergeRequest', ${all} WHERE $1::int = $2::int`,
  },
  {
    what: 'newest versions',
    count: () => 1,
    sql: `UPDATE merge_requests m SET latest_version_id = newest.id
            FROM (SELECT merge_request_id, max(id) AS id FROM merge_request_versions
                   GROUP BY merge_request_id) newest
           WHERE newest.merge_request_id = m.id AND $1::int = $2::int AND $3::jsonb IS NOT NULL`,
  },
];

/** Makes the user $1 a reporter of the project, and the author of every fifth request up to 1,000. */
export const MERGE_REQUEST_READER = [
  ...TRACKER_READER,
  `UPDATE merge_requests SET author_id = $1
    WHERE project_id = ${PROJECT} AND iid <= 1000 AND iid % 5 = 0`,
];
