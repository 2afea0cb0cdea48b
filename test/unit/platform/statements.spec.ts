import type { DataSource } from 'typeorm';
import { Database, UnitOfWork } from '../../../src/platform/database/index.js';
import { createDatabase, openDataSource, type TestDatabase } from '../../support/database.js';
import { Statements } from '../../support/statements.js';

/** Tests of plans and costs would pass with nothing to look at, if statements were not noticed. */
describe('the counter of statements', () => {
  const statements = new Statements();
  let testDatabase: TestDatabase;
  let dataSource: DataSource;
  let database: Database;
  let work: UnitOfWork;

  beforeAll(async () => {
    testDatabase = await createDatabase();
    dataSource = await openDataSource(testDatabase);
    statements.attach(dataSource);
    database = new Database(dataSource);
    work = new UnitOfWork(dataSource);
  });
  afterAll(async () => {
    await dataSource.destroy();
    await testDatabase.drop();
  });

  const select = (value: number) => database.rows('SELECT $1::int', [value]);

  it('lists statements with their parameters, in the order in which they are run', async () => {
    const ran = await statements.ran(async () => {
      await select(1);
      await database.rows('SELECT 2');
    });
    expect(ran).toEqual([
      { sql: 'SELECT $1::int', parameters: [1] },
      { sql: 'SELECT 2', parameters: [] },
    ]);
  });

  it('lists failed statements, and none outside the work', async () => {
    await select(1);
    const ran = await statements.during(async () => {
      await expect(database.rows('SELECT 1 / 0')).rejects.toThrow('division by zero');
    });
    await select(2);
    expect(ran).toEqual(['SELECT 1 / 0']);
    expect(await statements.during(() => Promise.resolve())).toEqual([]);
  });

  it('stops listing when the work fails', async () => {
    const failing = statements.during(() => Promise.reject(new Error('enough')));
    await expect(failing).rejects.toThrow('enough');
    await select(1);
    expect(await statements.during(() => select(2))).toEqual(['SELECT $1::int']);
  });

  it('counts a round trip for each awaited statement', async () => {
    const cost = await statements.costOf(async () => {
      await select(1);
      await select(2);
    });
    expect(cost).toEqual({ statements: 2, roundTrips: 2 });
  });

  it('counts one round trip for the statements of a transaction that are sent together', async () => {
    const cost = await statements.costOf(() =>
      work.run(async () => {
        await Promise.all([select(1), select(2)]);
        await database.runAtCommit('SELECT $1::int', [3]);
      }),
    );
    // Transactions begin and end with a statement each.
    expect(cost).toEqual({ statements: 5, roundTrips: 2 });
  });
});
