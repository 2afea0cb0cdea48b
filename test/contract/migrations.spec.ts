import { readFileSync } from 'node:fs';
import { DataSource } from 'typeorm';
import { dataSourceOptions, migrations } from '../../ormconfig.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { RELEASES, restoreDatabase } from '../support/release-data.js';
import { findBreakingChanges, readSchema, type Schema } from './support/breaking-changes.js';
import { CONTRACT_STEPS, UNUSED_COLUMNS } from './support/contract-steps.js';

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

  it('make exactly the tables that the entities describe, and unused columns', async () => {
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    const dropped = UNUSED_COLUMNS.flatMap(({ column, constraint, indexes = [] }) => {
      const [table, name] = column.split('.').map((part) => `"${part}"`);
      return [
        `ALTER TABLE ${String(table)} DROP COLUMN ${String(name)}`,
        ...(constraint === undefined
          ? []
          : [`ALTER TABLE ${String(table)} DROP CONSTRAINT "${constraint}"`]),
        ...indexes.map((index) => `DROP INDEX "public"."${index}"`),
      ];
    });
    expect(upQueries.map(({ query }) => query).sort()).toEqual(dropped.sort());
  });

  it('can be reverted and applied again', async () => {
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

  let dataSource: DataSource;
  let latest: Schema;

  const connect = (count = migrations.length): Promise<DataSource> => {
    const settings = { url: database.url, poolSize: 2, statementTimeoutMs: 0 };
    const applied = migrations.slice(0, count);
    return new DataSource({ ...dataSourceOptions(settings), migrations: applied }).initialize();
  };

  async function applyFirst(count: number): Promise<void> {
    const migrating = await connect(count);
    await migrating.runMigrations().finally(() => migrating.destroy());
  }

  beforeAll(async () => {
    database = await restoreDatabase(release);
    dataSource = await connect();
    latest = await readSchema(dataSource);
    const rows = await dataSource.query<{ name: string }[]>('SELECT name FROM migrations');
    const applied = new Set(rows.map(({ name }) => name));
    for (const [index, { name: migration }] of migrations.entries()) {
      if (applied.has(migration)) continue;
      await applyFirst(index + 1);
      const changed = await readSchema(dataSource);
      const found = findBreakingChanges(latest, changed);
      changes.push(...found.map((change) => ({ migration, change })));
      latest = changed;
    }
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  it('start at the newest release of the changelog', () => {
    const entry = /^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d\n\nCommit `[0-9a-f]{40}`\.$/m;
    expect(entry.exec(readFileSync('CHANGELOG.md', 'utf8'))?.[1]).toBe(release);
  });

  it('break no statement of an older version except in declared steps', () => {
    const declared = CONTRACT_STEPS.map(({ migration, change }) => ({ migration, change }));
    expect(declared).toEqual(changes);
  });

  it('drop only columns that a release has stopped using', () => {
    const changelog = readFileSync('CHANGELOG.md', 'utf8');
    for (const { since } of UNUSED_COLUMNS) expect(changelog).toContain(`## [${since}]`);
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
  ])('finds what breaks in %p', async (statement, change) => {
    const runner = dataSource.createQueryRunner();
    try {
      await runner.startTransaction();
      // Rows would be in the way of some.
      await runner.query('TRUNCATE users, projects, namespaces CASCADE');
      await runner.query(statement);
      const found = findBreakingChanges(latest, await readSchema(runner));
      expect(found).toEqual(change === undefined ? [] : [change]);
    } finally {
      await runner.rollbackTransaction();
      await runner.release();
    }
  });
});
