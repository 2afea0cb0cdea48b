import { readFileSync } from 'node:fs';
import { DataSource } from 'typeorm';
import { dataSourceOptions, migrations } from '../../ormconfig.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { RELEASES, restoreDatabase } from '../support/release-data.js';
import { findBreakingChanges, readSchema, type Schema } from './support/breaking-changes.js';
import { CONTRACT_STEPS } from './support/contract-steps.js';

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

describe('migrations since the last release', () => {
  const release = RELEASES.at(-1) ?? '';
  const changes: { migration: string; change: string }[] = [];
  let database: TestDatabase;

  const connect = (count = migrations.length): Promise<DataSource> => {
    const settings = { url: database.url, poolSize: 2, statementTimeoutMs: 0 };
    const applied = migrations.slice(0, count);
    return new DataSource({ ...dataSourceOptions(settings), migrations: applied }).initialize();
  };

  /** Applies the first migrations. @returns the schema before and after those that were pending */
  async function applyFirst(count: number): Promise<{ before: Schema; after: Schema }> {
    const dataSource = await connect(count);
    try {
      const before = await readSchema(dataSource);
      await dataSource.runMigrations();
      return { before, after: await readSchema(dataSource) };
    } finally {
      await dataSource.destroy();
    }
  }

  beforeAll(async () => {
    database = await restoreDatabase(release);
    for (const [index, { name: migration }] of migrations.entries()) {
      const { before, after } = await applyFirst(index + 1);
      const found = findBreakingChanges(before, after);
      changes.push(...found.map((change) => ({ migration, change })));
    }
  });
  afterAll(() => database.drop());

  it('begin at the newest release of the changelog', () => {
    const entry = /^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d\n\nCommit `[0-9a-f]{40}`\.$/m;
    expect(entry.exec(readFileSync('CHANGELOG.md', 'utf8'))?.[1]).toBe(release);
  });

  it('break no statement of an older version but in declared steps', () => {
    const declared = CONTRACT_STEPS.map(({ migration, change }) => ({ migration, change }));
    expect(declared).toEqual(changes);
  });

  it('drop only what a release has stopped using', () => {
    const changelog = readFileSync('CHANGELOG.md', 'utf8');
    for (const step of CONTRACT_STEPS) {
      if ('unusedSince' in step) expect(changelog).toContain(`## [${step.unusedSince}] - `);
      else expect(step.change).not.toContain('is dropped');
    }
  });

  it.each([
    ['DROP TABLE todos', 'todos is dropped'],
    ['ALTER TABLE todos RENAME TO tasks', 'todos is dropped'],
    ['ALTER TABLE labels DROP COLUMN color', 'labels.color is dropped'],
    ['ALTER TABLE users RENAME COLUMN bio TO about', 'users.bio is dropped'],
    [
      'ALTER TABLE notes ALTER COLUMN noteable_id TYPE bigint',
      'notes.noteable_id changes from integer to bigint',
    ],
    ['ALTER TABLE users ALTER COLUMN bio SET NOT NULL', 'users.bio is required'],
    ['ALTER TABLE todos ADD COLUMN kind text NOT NULL', 'todos.kind is required'],
    [
      'ALTER TABLE users ADD CONSTRAINT short_bio CHECK (length(bio) < 9) NOT VALID',
      'users: short_bio is new',
    ],
    ['CREATE UNIQUE INDEX own_names ON users (name)', 'users: own_names is new'],
    [`ALTER TABLE todos ADD COLUMN kind text NOT NULL DEFAULT 'own' UNIQUE`, undefined],
    ['CREATE TABLE tasks (id int PRIMARY KEY)', undefined],
  ])('would be found out by %p', async (statement, change) => {
    const dataSource = await connect();
    const runner = dataSource.createQueryRunner();
    try {
      const before = await readSchema(dataSource);
      await runner.startTransaction();
      // Rows would be in the way of some.
      await runner.query('TRUNCATE users, projects, namespaces CASCADE');
      await runner.query(statement);
      const found = findBreakingChanges(before, await readSchema(runner));
      expect(found).toEqual(change === undefined ? [] : [change]);
    } finally {
      await runner.rollbackTransaction();
      await runner.release();
      await dataSource.destroy();
    }
  });
});
