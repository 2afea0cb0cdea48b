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
 * The rows that make one project's list of issues long: each entry inserts the numbers $1 to $2 of one
 * kind, $3 is the scale. The measured reader is a reporter there and wrote every hundredth issue.
 * @typedef {{ issues: number }} IssueScale
 */

const LABELLED = 10_000;

/** The issue that a tenth of all notes are on: the first ones, so that their IDs are the same at every scale. */
export const LONG_DISCUSSION = 500;
const onLongDiscussion = "($3::jsonb->>'issues')::int / 10";

/** @type {import('./rows.mjs').Kind[]} */
export const ISSUE_KINDS = [
  ...TRACKER_KINDS,
  {
    what: 'issues',
    count: ({ issues }) => issues,
    sql: `INSERT INTO issues (iid, project_id, author_id, title, description, state, confidential,
            milestone_id, created_at, updated_at)
          SELECT n, ${PROJECT}, ${AUTHOR} + 1 + n % ${AUTHORS}, 'Issue ' || n,
                 'What happens when ' || n, CASE n % 3 WHEN 0 THEN 'opened' ELSE 'closed' END,
                 n % 50 = 7,
                 CASE WHEN n % 4 = 0 THEN ${MILESTONE} + 1
                      WHEN n % greatest(1, ($3::jsonb->>'issues')::int / 10) = 1
                      THEN ${MILESTONE} + 2 END,
                 ${moment("($3::jsonb->>'issues')::int - n")}, ${moment('n::bigint * 7919 % 1000003')}
            FROM generate_series($1::int, $2::int) n`,
  },
  {
    what: 'labels of issues',
    count: ({ issues }) => Math.min(issues, LABELLED),
    sql: `INSERT INTO label_links (target_type, target_id, created_at, state, confidential,
            author_id, label_id)
          SELECT 'Issue', i.id, i.created_at, i.state, i.confidential, i.author_id,
                 CASE WHEN n % greatest(1, least(($3::jsonb->>'issues')::int, ${LABELLED}) / 10) = 1
                      THEN ${LABEL} + 2
                      WHEN n % 2 = 0 THEN ${LABEL} + 1 ELSE ${LABEL} + 3 + n % 47 END
            FROM generate_series($1::int, $2::int) n
            JOIN issues i ON i.project_id = ${PROJECT}
             AND i.iid = n * greatest(1, ($3::jsonb->>'issues')::int / ${LABELLED})`,
  },
  {
    what: 'notes',
    count: ({ issues }) => issues,
    sql: `INSERT INTO notes (project_id, noteable_type, noteable_id, author_id, body)
          SELECT ${PROJECT}, 'Issue', i.id, ${AUTHOR} + 1 + n % ${AUTHORS}, 'A word on it'
            FROM generate_series($1::int, $2::int) n
            JOIN issues i ON i.project_id = ${PROJECT}
             AND i.iid = CASE WHEN n <= ${onLongDiscussion} THEN ${LONG_DISCUSSION}
                              ELSE n - ${onLongDiscussion} END
           ORDER BY n`,
  },
  {
    what: 'the last number',
    count: () => 1,
    sql: `INSERT INTO internal_ids (project_id, kind, last_iid)
          SELECT ${PROJECT}, 'Issue', ($3::jsonb->>'issues')::int WHERE $1::int = $2::int`,
  },
];

/** Makes the user $1 a reporter of the project, and the author of every hundredth issue up to 1,000. */
export const ISSUE_READER = [
  ...TRACKER_READER,
  `UPDATE issues SET author_id = $1 WHERE project_id = ${PROJECT} AND iid <= 1000 AND iid % 5 = 0`,
];
