/**
 * The rows that make one project's list of issues long: each entry inserts the numbers $1 to $2 of one
 * kind, $3 is the scale. The measured reader is a reporter there and wrote every hundredth issue.
 * @typedef {{ issues: number }} IssueScale
 */

const PROJECT = 1_000_000;
const GROUP = 2_000_000;
const AUTHOR = 3_000_000;
const AUTHORS = 100;
/** Labels and milestones: the first is on many issues, the second on ten. */
const LABEL = 4_000_000;
const MILESTONE = 5_000_000;
const LABELLED = 10_000;

const moment = (number) => `date_trunc('milliseconds', now()) - (${number}) * interval '1 second'`;

/** @type {import('./rows.mjs').Kind[]} */
export const ISSUE_KINDS = [
  {
    what: 'users',
    count: () => AUTHORS,
    sql: `INSERT INTO users (id, username, name, email, password_hash, private_token_digest,
            private_token_sealed, confirmed_at)
          SELECT ${AUTHOR} + n, 'author-' || n, 'Author ' || n, 'author-' || n || '@example.com',
                 'none', lpad(to_hex(n), 64, '0'), 'none', now()
            FROM generate_series($1::int, $2::int) n WHERE $3::jsonb IS NOT NULL`,
  },
  {
    what: 'groups',
    count: () => 1,
    sql: `INSERT INTO namespaces (id, name, path, visibility_level)
          SELECT ${GROUP}, 'Trackers', 'trackers', 0 WHERE $3::jsonb IS NOT NULL AND $1 = $2`,
  },
  {
    what: 'projects',
    count: () => 1,
    sql: `INSERT INTO projects (id, namespace_id, creator_id, name, path, visibility_level,
            runners_token_sealed)
          SELECT ${PROJECT}, ${GROUP}, ${AUTHOR} + 1, 'Tracker', 'tracker', 0, 'none'
           WHERE $3::jsonb IS NOT NULL AND $1 = $2`,
  },
  {
    what: 'milestones',
    count: () => 2,
    sql: `INSERT INTO milestones (id, iid, project_id, title)
          SELECT ${MILESTONE} + n, n, ${PROJECT}, (ARRAY['common', 'rare'])[n]
            FROM generate_series($1::int, $2::int) n WHERE $3::jsonb IS NOT NULL`,
  },
  {
    what: 'labels',
    count: () => 50,
    sql: `INSERT INTO labels (id, project_id, name, color)
          SELECT ${LABEL} + n, ${PROJECT},
                 CASE n WHEN 1 THEN 'common' WHEN 2 THEN 'rare' ELSE 'label ' || n END, '#428BCA'
            FROM generate_series($1::int, $2::int) n WHERE $3::jsonb IS NOT NULL`,
  },
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
    count: ({ issues }) => issues / 10,
    sql: `INSERT INTO notes (project_id, noteable_type, noteable_id, author_id, body)
          SELECT ${PROJECT}, 'Issue', i.id, ${AUTHOR} + 1 + n % ${AUTHORS}, 'A word on it'
            FROM generate_series($1::int, $2::int) n
            JOIN issues i ON i.project_id = ${PROJECT} AND i.iid = n * 10
           WHERE $3::jsonb IS NOT NULL`,
  },
  {
    what: 'counts',
    count: () => 1,
    sql: `WITH numbers AS (
            INSERT INTO internal_ids (project_id, kind, last_iid)
            SELECT ${PROJECT}, 'Issue', ($3::jsonb->>'issues')::int)
          INSERT INTO issue_counts (project_id, opened, opened_confidential)
          SELECT ${PROJECT}, count(*) FILTER (WHERE state = 'opened'),
                 count(*) FILTER (WHERE state = 'opened' AND confidential)
            FROM issues WHERE project_id = ${PROJECT} AND $1::int = $2::int`,
  },
];

/** Makes the user $1 a reporter of the project, and the author of every hundredth issue up to 1,000. */
export const ISSUE_READER = [
  `INSERT INTO project_members (project_id, user_id, access_level) VALUES (${PROJECT}, $1, 20)`,
  `INSERT INTO group_members (group_id, user_id, access_level) VALUES (${GROUP}, $1, 20)`,
  `UPDATE issues SET author_id = $1 WHERE project_id = ${PROJECT} AND iid <= 1000 AND iid % 5 = 0`,
];

export const TRACKER = { project: PROJECT, group: GROUP };
