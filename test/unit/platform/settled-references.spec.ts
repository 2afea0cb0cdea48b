import pg from 'pg';
import { migrate } from '../../../src/bootstrap/migrate.js';
import type { TestDatabase } from '../../support/database.js';
import { restoreDatabase } from '../../support/release-data.js';

interface Stored {
  text: string;
  moved_references: unknown;
}

/** The references of the text below, as 0.2.0 describes them. */
const MOVED = JSON.stringify([
  { projectId: 1, prefix: 'crew/mill.x', at: [2] },
  { projectId: 1, prefix: 'crew/', at: [17] },
]);
const FULL =
  'a crew/mill.x#7, crew/other!8 and crew/mill.x~"to do" of crew/millex#9 or crew/mill.x';
const ESCAPED = 'a \\#7, other\\!8 and \\~"to do" of millex\\#9 or crew/mill.x';

describe('texts of moved issues that 0.2.0 has stored', () => {
  let database: TestDatabase;
  let client: pg.Client;
  /** The projects that an issue moved from and to, and an issue in the latter. */
  let source: number;
  let target: number;
  let issue: number;

  const query = async <Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> =>
    (await client.query(sql, parameters)).rows as Row[];
  const first = async (sql: string, parameters: unknown[] = []): Promise<number> => {
    const [row] = await query<{ id: number }>(sql, parameters);
    if (row === undefined) throw new Error(`Nothing is found by ${sql}`);
    return row.id;
  };
  const setLevels = async (from: number, to: number): Promise<void> => {
    const change = 'UPDATE projects SET visibility_level = $2, deleted_at = NULL WHERE id = $1';
    await query(change, [source, from]);
    await query(change, [target, to]);
  };
  const described = (moved = MOVED): string =>
    moved.replaceAll('"projectId":1', `"projectId":${String(source)}`);
  /** What a process of 0.2.0 does that changes a text. */
  const write = async (text = FULL, moved = MOVED): Promise<Stored> => {
    const [row] = await query<Stored>(
      `UPDATE issues SET description = $2, moved_references = $3 WHERE id = $1
       RETURNING description AS text, moved_references`,
      [issue, text, described(moved)],
    );
    return row as Stored;
  };
  const notes = (): Promise<Stored[]> =>
    query(`SELECT body AS text, moved_references FROM notes WHERE body LIKE 'a %' ORDER BY id`);

  beforeAll(async () => {
    database = await restoreDatabase('0.2.0');
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    source = await first(`SELECT id FROM projects WHERE path = 'mill'`);
    issue = await first(`SELECT id FROM issues WHERE title = 'Issue 1'`);
    target = await first('SELECT project_id AS id FROM issues WHERE id = $1', [issue]);
    await setLevels(0, 20);
    await write();
    await query(
      `INSERT INTO notes (project_id, noteable_type, noteable_id, author_id, body, moved_references)
       SELECT project_id, 'Issue', id, author_id, $2, $3::jsonb FROM issues, generate_series(1, 1001)
        WHERE id = $1`,
      [issue, FULL, described()],
    );
    await migrate(database.url);
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  it('name no private project after the upgrade', async () => {
    const [row] = await query<Stored>(
      'SELECT description AS text, moved_references FROM issues WHERE id = $1',
      [issue],
    );
    expect(row).toEqual({ text: ESCAPED, moved_references: null });
    const all = await notes();
    expect(all).toHaveLength(1001);
    expect(new Set(all.map(({ text }) => text))).toEqual(new Set([ESCAPED]));
    expect(await query('SELECT id FROM notes WHERE moved_references IS NOT NULL')).toEqual([]);
  });

  it.each([
    [20, 20, FULL],
    [20, 0, FULL],
    [10, 10, FULL],
    [10, 20, ESCAPED],
    [0, 20, ESCAPED],
    [0, 0, ESCAPED],
  ])(
    'are settled where a process of 0.2.0 writes them: from level %i to %i',
    async (from, to, text) => {
      await setLevels(from, to);
      expect(await write()).toEqual({ text, moved_references: null });
    },
  );

  it('do not name a project that is deleted', async () => {
    await setLevels(20, 20);
    await query('UPDATE projects SET deleted_at = now() WHERE id = $1', [source]);
    expect(await write()).toEqual({ text: ESCAPED, moved_references: null });
  });

  it('lose the project of a commit', async () => {
    await setLevels(0, 20);
    const moved = JSON.stringify([{ projectId: 1, prefix: 'crew/mill@', at: [18] }]);
    const sha = 'a'.repeat(40);
    expect(await write(`closed via commit crew/mill@${sha}`, moved)).toMatchObject({
      text: `closed via commit ${sha}`,
    });
  });
});
