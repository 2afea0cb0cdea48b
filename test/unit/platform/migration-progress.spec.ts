import { pino } from 'pino';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { dataSourceOptions } from '../../../ormconfig.js';
import {
  type MigrationProgress,
  observeMigrations,
  reportMigrationProgress,
} from '../../../src/platform/database/index.js';
import { logMigrations } from '../../../src/bootstrap/migrate.js';
import { createDatabase, type TestDatabase } from '../../support/database.js';

class First9999999999001 implements MigrationInterface {
  readonly name = 'First9999999999001';

  up(runner: QueryRunner): Promise<void> {
    for (const done of [1_000, 2_000, 2_500]) reportMigrationProgress(runner, done, 2_500);
    return Promise.resolve();
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}

class Second9999999999002 implements MigrationInterface {
  readonly name = 'Second9999999999002';
  readonly up = (): Promise<void> => Promise.resolve();
  readonly down = (): Promise<void> => Promise.resolve();
}

describe('the progress of migrations', () => {
  let database: TestDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await createDatabase({ isEmpty: true });
    const settings = { url: database.url, poolSize: 2, statementTimeoutMs: 0 };
    const migrations = [First9999999999001, Second9999999999002];
    const options = { ...dataSourceOptions(settings), migrations };
    dataSource = await new DataSource(options).initialize();
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  it('is reported after the start', async () => {
    const progress: MigrationProgress[] = [];
    observeMigrations(dataSource, (each) => progress.push(each));
    await dataSource.runMigrations();
    const [first, second] = ['First9999999999001', 'Second9999999999002'];
    expect(progress).toEqual([
      { migration: first },
      ...[1_000, 2_000, 2_500].map((done) => ({ migration: first, done, total: 2_500 })),
      { migration: second },
    ]);
  });

  it('is logged periodically', () => {
    const lines: { migration: string; done?: number; msg: string }[] = [];
    const write = (line: string) => lines.push(JSON.parse(line) as (typeof lines)[number]);
    const logger = pino({ level: 'info', base: null, timestamp: false }, { write });
    const listener = logMigrations(logger, 1_000_000);
    listener({ migration: 'One' });
    listener({ migration: 'One', done: 1, total: 2 });
    listener({ migration: 'Other' });
    expect(lines).toEqual([
      { level: 30, migration: 'One', msg: 'A migration begins' },
      { level: 30, migration: 'Other', msg: 'A migration begins' },
    ]);
    const eager = logMigrations(logger, 0);
    eager({ migration: 'One', done: 1, total: 2 });
    expect(lines.at(-1)).toEqual({
      level: 30,
      migration: 'One',
      done: 1,
      total: 2,
      msg: 'A migration goes on',
    });
  });

  it('is ignored without an observer', () => {
    expect(() => reportMigrationProgress({} as QueryRunner, 1, 2)).not.toThrow();
  });
});
