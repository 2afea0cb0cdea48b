/**
 * A project in which people plan, whose list of issues or merge requests others make long: its people,
 * labels and milestones. $3 is the scale, which nothing of this depends on.
 */

export const PROJECT = 1_000_000;
export const GROUP = 2_000_000;
export const AUTHOR = 3_000_000;
export const AUTHORS = 100;
/** Labels and milestones: the first is on much, the second on ten. */
export const LABEL = 4_000_000;
export const MILESTONE = 5_000_000;

export const TRACKER = { project: PROJECT, group: GROUP };

/** So many seconds ago. */
export const moment = (number) =>
  `date_trunc('milliseconds', now()) - (${number}) * interval '1 second'`;

/** @type {import('./rows.mjs').Kind[]} */
export const TRACKER_KINDS = [
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
];

/** Makes the user $1 a reporter of the project. */
export const TRACKER_READER = [
  `INSERT INTO project_members (project_id, user_id, access_level) VALUES (${PROJECT}, $1, 20)`,
  `INSERT INTO group_members (group_id, user_id, access_level) VALUES (${GROUP}, $1, 20)`,
];
