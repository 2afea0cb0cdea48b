import pg from 'pg';
import { migrate } from '../../../src/bootstrap/migrate.js';
import type { TestDatabase } from '../../support/database.js';
import { restoreDatabase } from '../../support/release-data.js';

const ZERO = '0'.repeat(40);
const OID = 'a'.repeat(40);
const COMMIT = { message: 'Begin\n', author: { name: 'Ada', email: 'ada@example.com' } };
const DATE = '2020-02-02T20:20:20+02:00';

/** What 0.2.0 stores of a new tag, and reads again. */
const READ = {
  object_kind: 'tag_push',
  before: ZERO,
  after: OID,
  ref: 'refs/tags/v1',
  message: 'Version one',
  commits: [
    { ...COMMIT, id: OID, timestamp: DATE, url: 'http://host/crew/engine/commit/a' },
    { ...COMMIT, id: 'b', timestamp: DATE, url: 'http://host/crew/engine/commit/b' },
  ],
  total_commits_count: 2,
};
const PUSHED_REF = {
  ref: 'refs/tags/v1',
  oldOid: ZERO,
  newOid: OID,
  message: 'Version one',
  commits: [
    { ...COMMIT, oid: OID, committedAt: DATE },
    { ...COMMIT, oid: 'b', committedAt: DATE },
  ],
  commitCount: 2,
};

interface Stored {
  data: Partial<typeof READ> | null;
  pushed_ref: typeof PUSHED_REF | null;
}

describe('pushed refs of events', () => {
  let database: TestDatabase;
  let client: pg.Client;
  let project: number;
  let author: number;

  const query = async <Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> =>
    (await client.query(sql, parameters)).rows as Row[];
  const insert = async (column: keyof Stored, value: object): Promise<Stored> => {
    const [row] = await query<Stored>(
      `INSERT INTO events (project_id, author_id, action, ${column}) VALUES ($1, $2, 'pushed new', $3)
       RETURNING data, pushed_ref`,
      [project, author, JSON.stringify(value)],
    );
    return row as Stored;
  };
  /** What 0.2.0 stores. */
  const written = () => ({
    ...READ,
    ...{ project_id: project, user_id: author, user_name: 'Ada' },
    repository: { name: 'engine', url: 'x', description: null, homepage: 'x' },
  });

  beforeAll(async () => {
    database = await restoreDatabase('0.2.0');
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const [found] = await query<{ id: number; author: number }>(
      `SELECT id, creator_id AS author FROM projects WHERE path = 'engine'`,
    );
    ({ id: project, author } = found as { id: number; author: number });
    await query(
      `INSERT INTO events (project_id, author_id, action, data)
       SELECT $1, $2, 'pushed new', $3 FROM generate_series(1, 2001)`,
      [project, author, JSON.stringify(written())],
    );
    await migrate(database.url);
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  it('are filled by the upgrade, and names of accounts and projects are removed', async () => {
    const rows = await query<Stored>(
      `SELECT data, pushed_ref FROM events WHERE data->>'ref' = 'refs/tags/v1' AND data->>'message' = 'Version one'`,
    );
    expect(rows).toHaveLength(2001);
    for (const row of rows) {
      expect(row).toEqual({ data: { ...READ, project_id: project }, pushed_ref: PUSHED_REF });
    }
    const pushes = await query<Stored>(
      'SELECT data, pushed_ref FROM events WHERE data IS NOT NULL',
    );
    expect(pushes.length).toBeGreaterThan(rows.length);
    for (const { data, pushed_ref: pushed } of pushes) {
      expect(data).not.toHaveProperty('user_name');
      expect([pushed?.ref, pushed?.oldOid, pushed?.newOid]).toEqual([
        ...[data?.ref, data?.before, data?.after],
      ]);
    }
  });

  it('are filled where a process of 0.2.0 records a push', async () => {
    expect(await insert('data', written())).toEqual({
      data: { ...READ, project_id: project },
      pushed_ref: PUSHED_REF,
    });
  });

  it('can be read by a process of 0.2.0', async () => {
    expect(await insert('pushed_ref', PUSHED_REF)).toEqual({
      pushed_ref: PUSHED_REF,
      data: {
        ...READ,
        project_id: project,
        commits: [
          { ...READ.commits[0], url: `/crew/engine/commit/${OID}` },
          { ...READ.commits[1], url: '/crew/engine/commit/b' },
        ],
      },
    });
    const deleted = {
      ...{ ref: 'refs/heads/topic', oldOid: OID, newOid: ZERO },
      ...{ message: null, commits: [], commitCount: 0 },
    };
    expect((await insert('pushed_ref', deleted)).data).toEqual({
      ...{ object_kind: 'push', ref: 'refs/heads/topic', before: OID, after: ZERO, message: null },
      ...{ project_id: project, commits: [], total_commits_count: 0 },
    });
  });

  it('are absent from events that are no pushes', async () => {
    const [row] = await query<Stored>(
      `INSERT INTO events (project_id, author_id, action) VALUES ($1, $2, 'joined')
       RETURNING data, pushed_ref`,
      [project, author],
    );
    expect(row).toEqual({ data: null, pushed_ref: null });
  });
});
