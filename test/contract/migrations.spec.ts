import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../ormconfig.js';
import { createDatabase, type TestDatabase } from '../support/database.js';

describe('migrations', () => {
  let database: TestDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await createDatabase();
    const settings = { url: database.url, poolSize: 2, statementTimeoutMs: 0 };
    dataSource = await new DataSource(dataSourceOptions(settings)).initialize();
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  it('make exactly the tables that the entities describe', async () => {
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('can be taken back and applied again', async () => {
    for (const _ of dataSource.migrations) await dataSource.undoLastMigration();
    const tables = await dataSource.query<{ name: string }[]>(
      `SELECT table_name AS name FROM information_schema.tables
        WHERE table_schema = 'public' AND table_name <> 'migrations'`,
    );
    expect(tables).toEqual([]);
    const applied = await dataSource.runMigrations();
    expect(applied).toHaveLength(dataSource.migrations.length);
  });
});
