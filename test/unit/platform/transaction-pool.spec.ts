import type { DataSource } from 'typeorm';
import {
  Database,
  PreparingClient,
  TransactionPool,
  UnitOfWork,
} from '../../../src/platform/database/index.js';
import { createDatabase, openDataSource, type TestDatabase } from '../../support/database.js';

describe('the pool of long units of work', () => {
  let testDatabase: TestDatabase;
  let dataSource: DataSource;
  let database: Database;
  let work: UnitOfWork;
  let pool: TransactionPool;

  beforeAll(async () => {
    testDatabase = await createDatabase();
    dataSource = await openDataSource(testDatabase);
    database = new Database(dataSource);
    work = new UnitOfWork(dataSource);
    const client = { sessionName: 'trellis apart' };
    pool = new TransactionPool(dataSource, { url: testDatabase.url, size: 2, client });
    await database.rows('CREATE TABLE counters (id int PRIMARY KEY, value int NOT NULL)');
  });
  beforeEach(async () => {
    await database.rows('TRUNCATE counters');
    await database.rows('INSERT INTO counters VALUES (1, 0)');
  });
  afterAll(async () => {
    await pool.onApplicationShutdown();
    await dataSource.destroy();
    await testDatabase.drop();
  });

  const add = () => database.rows('UPDATE counters SET value = value + 1');
  const session = async () => {
    const [row] = await database.rows<{ name: string }>(
      `SELECT current_setting('application_name') AS name`,
    );
    return row?.name;
  };
  const value = async () => {
    const [row] = await database.rows<{ value: number }>('SELECT value FROM counters');
    return row?.value;
  };

  it('has the connections of transactions, by TypeORM too, and of their detached statements', async () => {
    const seen = await work.run(
      async () => {
        await add();
        const client: unknown = await database.manager.queryRunner?.connect();
        expect(client).toBeInstanceOf(PreparingClient);
        const [byTypeOrm] = await database.manager.query<[{ name: string }]>(
          `SELECT current_setting('application_name') AS name`,
        );
        const detached = await work.detached(async () => [
          await session(),
          await work.run(session),
          await value(),
        ]);
        expect(database.connectionCounts().used).toBe(0);
        return [await session(), byTypeOrm.name, ...detached];
      },
      { pool },
    );
    const apart = 'trellis apart';
    expect(seen).toEqual([apart, apart, apart, apart, 0]);
    expect(await value()).toBe(1);
    expect(await session()).not.toBe(apart);
  });

  it('gets its connections back, of failed transactions too', async () => {
    for (let round = 0; round < 5; round += 1) {
      const failing = work.run(
        async () => {
          await add();
          throw new Error('enough');
        },
        { pool },
      );
      await expect(failing).rejects.toThrow('enough');
    }
    expect(await work.run(value, { pool })).toBe(0);
  });

  it('is refused within another unit of work', async () => {
    const nested = work.run(() => work.run(add, { pool }));
    await expect(nested).rejects.toThrow('A unit of work is under way already');
  });
});
