import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../../ormconfig.js';
import { PLANNED_EACH_TIME, PreparingClient } from '../../../src/platform/database/index.js';
import { createDatabase, type TestDatabase } from '../../support/database.js';

describe('a connection that prepares its statements', () => {
  let database: TestDatabase;
  let client: PreparingClient;

  beforeAll(async () => {
    database = await createDatabase();
    client = new PreparingClient({ connectionString: database.url });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  const prepared = async (text: string) =>
    (
      await client.query<{ name: string }>({
        text: 'SELECT name FROM pg_prepared_statements WHERE statement = $1',
        values: [text],
      })
    ).rows;

  it('prepares a statement with parameters once', async () => {
    const text = 'SELECT $1::int + 1 AS next';
    for (const value of [1, 2]) {
      expect((await client.query(text, [value])).rows).toEqual([{ next: value + 1 }]);
    }
    expect(await prepared(text)).toHaveLength(1);
  });

  it.each([
    ['without parameters', 'SELECT 1 AS value', []],
    ['planned for its values', `/* ${PLANNED_EACH_TIME} */ SELECT $1::int AS value`, [1]],
    [
      'around one that is planned for its values',
      `SELECT value FROM (/* ${PLANNED_EACH_TIME} */ SELECT $1::int AS value) AS inner_one`,
      [1],
    ],
  ])('does not prepare a statement %s', async (_, text, values) => {
    expect((await client.query(text, values)).rows).toEqual([{ value: 1 }]);
    expect(await prepared(text)).toEqual([]);
  });

  it('prepares nothing behind a pooler, in transactions too', async () => {
    const unprepared = new PreparingClient({
      ...{ connectionString: database.url, preparesStatements: false },
    });
    await unprepared.connect();
    try {
      await unprepared.query('START TRANSACTION');
      const [one, two] = await Promise.all([
        unprepared.query('SELECT $1::int AS value', [1]),
        unprepared.query('SELECT $1::int AS value', [2]),
        unprepared.query('COMMIT'),
      ]);
      expect([one.rows, two.rows]).toEqual([[{ value: 1 }], [{ value: 2 }]]);
      const { rows } = await unprepared.query('SELECT FROM pg_prepared_statements');
      expect(rows).toEqual([]);
    } finally {
      await unprepared.end();
    }
  });

  it('has the time zone UTC, for all options of the address', async () => {
    const url = `${database.url}?options=-c%20work_mem%3D8MB%20-c%20timezone%3DJapan`;
    const settings = { url, poolSize: 1, statementTimeoutMs: 0 };
    const dataSource = await new DataSource(dataSourceOptions(settings)).initialize();
    try {
      const show = async (name: string) =>
        (await dataSource.query<Record<string, string>[]>(`SHOW ${name}`))[0];
      expect(await show('work_mem')).toEqual({ work_mem: '8MB' });
      expect(await show('timezone')).toEqual({ TimeZone: 'UTC' });
    } finally {
      await dataSource.destroy();
    }
  });
});
