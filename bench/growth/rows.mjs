/**
 * The rows that make an instance large: each entry inserts the numbers $1 to $2 of one kind, $3 is the
 * scale. What belongs to what follows from the numbers alone, so every run has the same instance; the
 * measured reader, number 1, has as many memberships in a small instance as in a large one.
 * @typedef {{ what: string, count: (scale: Scale) => number, sql: string }} Kind
 * @typedef {{ projects: number, users: number, groups: number }} Scale
 */

const WORDS = `(ARRAY['alpine','binary','copper','delta','ember','fabric','garnet','harbor','indigo',
  'juniper','kernel','lantern','marble','nectar','orbit','pepper','quartz','ribbon','saffron','timber'])`;
const word = (number) => `${WORDS}[1 + (${number}) % 20]`;
/** A moment in the past, spread evenly and in another order than the numbers. */
const moment = (number) =>
  `date_trunc('milliseconds', now()) - ((${number})::bigint * 7919 % 100003) * interval '11 minutes'`;

/** IDs of what the service made before, above which the numbers are counted. */
const BASE = 1_000_000;
const id = (number) => `${BASE} + ${number}`;
const USER_NAMESPACE = 2_000_000;
const GROUP = 3_000_000;

/** How many projects lie in groups: the rest are their creators' own. */
const inGroup = (number) => `(${number}) % 5 < 2`;
const creator = (number) => `1 + (${number}) % ($3::jsonb->>'users')::int`;
const group = (number) => `1 + (${number}) % ($3::jsonb->>'groups')::int`;

/** @type {Kind[]} */
export const KINDS = [
  {
    what: 'users',
    count: ({ users }) => users,
    sql: `INSERT INTO users (id, username, name, email, password_hash, private_token_digest,
            private_token_sealed, confirmed_at, created_at, updated_at)
          SELECT ${id('n')}, ${word('n')} || '-' || n, initcap(${word('n')}) || ' ' || n,
                 ${word('n')} || '-' || n || '@example.com', 'none', lpad(to_hex(n), 64, '0'),
                 'none', now(), ${moment('n')}, now()
            FROM generate_series($1::int, $2::int) n WHERE $3::jsonb IS NOT NULL`,
  },
  {
    what: 'personal namespaces',
    count: ({ users }) => users,
    sql: `INSERT INTO namespaces (id, name, path, owner_id)
          SELECT ${USER_NAMESPACE} + n, ${word('n')} || '-' || n, ${word('n')} || '-' || n, ${id('n')}
            FROM generate_series($1::int, $2::int) n WHERE $3::jsonb IS NOT NULL`,
  },
  {
    what: 'groups',
    count: ({ groups }) => groups,
    sql: `INSERT INTO namespaces (id, name, path, visibility_level)
          SELECT ${GROUP} + n, initcap(${word('n')}) || ' team ' || n, ${word('n')} || '-team-' || n,
                 (n % 3) * 10
            FROM generate_series($1::int, $2::int) n WHERE $3::jsonb IS NOT NULL`,
  },
  {
    what: 'group members',
    count: ({ groups }) => groups * 8,
    sql: `INSERT INTO group_members (group_id, user_id, access_level)
          SELECT ${GROUP} + ${group('n')}, ${id(creator('n * 31 + n / 7'))}, 10 + n % 5 * 10
            FROM generate_series($1::int, $2::int) n
          ON CONFLICT DO NOTHING`,
  },
  {
    what: 'projects',
    count: ({ projects }) => projects,
    sql: `INSERT INTO projects (id, namespace_id, creator_id, name, path, description,
            visibility_level, archived, runners_token_sealed, star_count, created_at, updated_at,
            last_activity_at)
          SELECT ${id('n')},
                 CASE WHEN ${inGroup('n')} THEN ${GROUP} + ${group('n')}
                      ELSE ${USER_NAMESPACE} + ${creator('n')} END,
                 ${id(creator('n'))}, ${word('n / 20')} || ' ' || ${word('n')} || ' ' || n,
                 ${word('n / 20')} || '-' || ${word('n')} || '-' || n,
                 'The ' || ${word('n / 400')} || ' of the ' || ${word('n')},
                 CASE n % 4 WHEN 0 THEN 20 WHEN 1 THEN 10 ELSE 0 END, n / 20 % 20 = 19, 'none', 2,
                 ${moment('n')}, ${moment('n * 3')}, ${moment('n * 5')}
            FROM generate_series($1::int, $2::int) n`,
  },
  {
    what: 'project members',
    count: ({ projects }) => projects * 3,
    sql: `INSERT INTO project_members (project_id, user_id, access_level)
          SELECT ${id('1 + n / 3')}, ${id(creator('n / 3 + n % 3 * 17'))}, 20 + n % 3 * 10
            FROM generate_series($1::int, least($2::int, ($3::jsonb->>'projects')::int * 3 - 3)) n
          ON CONFLICT DO NOTHING`,
  },
  {
    what: 'shares',
    count: ({ projects }) => projects / 20,
    sql: `INSERT INTO project_group_links (project_id, group_id, group_access)
          SELECT ${id('n * 20')}, ${GROUP} + ${group('n * 13')}, 30
            FROM generate_series($1::int, $2::int) n
          ON CONFLICT DO NOTHING`,
  },
  {
    what: 'stars',
    count: ({ projects }) => projects * 2,
    sql: `INSERT INTO project_stars (project_id, user_id)
          SELECT ${id('1 + n / 2')}, ${id(creator('n * 29'))}
            FROM generate_series($1::int, least($2::int, ($3::jsonb->>'projects')::int * 2 - 2)) n
          ON CONFLICT DO NOTHING`,
  },
  {
    what: 'events',
    count: ({ projects }) => projects * 5,
    sql: `INSERT INTO events (project_id, author_id, action, pushed_ref, created_at)
          SELECT ${id("1 + n % ($3::jsonb->>'projects')::int")}, ${id(creator('n'))},
                 CASE n % 3 WHEN 0 THEN 'created' WHEN 1 THEN 'joined' ELSE 'pushed to' END,
                 CASE n % 3 WHEN 2 THEN jsonb_build_object('ref', 'refs/heads/master', 'commits', '[]'::jsonb) END,
                 ${moment('n')}
            FROM generate_series($1::int, $2::int) n`,
  },
];

/**
 * Gives the reader what is the same at every scale: 25 projects of others, three groups, five stars,
 * and a token's worth of own projects; $1 is their ID.
 */
export const READER = [
  `INSERT INTO project_members (project_id, user_id, access_level)
   SELECT ${id('n * 7')}, $1, 30 FROM generate_series(1, 25) n ON CONFLICT DO NOTHING`,
  `INSERT INTO group_members (group_id, user_id, access_level)
   SELECT ${GROUP} + n, $1, 50 FROM generate_series(1, 3) n ON CONFLICT DO NOTHING`,
  `INSERT INTO project_stars (project_id, user_id)
   SELECT ${id('n * 4')}, $1 FROM generate_series(1, 25) n ON CONFLICT DO NOTHING`,
  `UPDATE projects SET namespace_id = (SELECT id FROM namespaces WHERE owner_id = $1),
          creator_id = $1
    WHERE id IN (SELECT ${id('n * 11')} FROM generate_series(1, 25) n)`,
];

export const SAMPLE = { project: BASE + 4, group: GROUP + 1, user: BASE + 5 };
