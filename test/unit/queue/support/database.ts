import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { SnakeCaseNamingStrategy } from '../../../../src/platform/database/index.js';
import { Outbox1795219200002 } from '../../../../src/platform/database/migrations/1795219200002-outbox.js';
import { migrateQueue, OutboxJob } from '../../../../src/platform/queue/index.js';

/** A database of its own, with the outbox, BullMQ's schema and a table for what handlers do. */
export interface TestDatabase {
  readonly url: string;
  readonly dataSource: DataSource;
  drop(): Promise<void>;
}

export async function createDatabase(): Promise<TestDatabase> {
  const name = `queue_${randomBytes(6).toString('hex')}`;
  const url = new URL(serverUrl());
  url.pathname = `/${name}`;
  await onServer(`CREATE DATABASE ${name}`);
  await migrateQueue(url.href);
  const dataSource = await new DataSource(dataSourceOptions(url.href)).initialize();
  await dataSource.runMigrations();
  await dataSource.query(
    'CREATE TABLE effects (id serial PRIMARY KEY, key text NOT NULL, note text)',
  );
  return {
    url: url.href,
    dataSource,
    drop: async () => {
      await dataSource.destroy();
      await onServer(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

export function dataSourceOptions(url: string): ConstructorParameters<typeof DataSource>[0] {
  return {
    type: 'postgres',
    url,
    entities: [OutboxJob],
    migrations: [Outbox1795219200002],
    namingStrategy: new SnakeCaseNamingStrategy(),
    poolSize: 8,
  };
}

function serverUrl(): string {
  const url = process.env['TEST_DATABASE_URL'];
  if (url === undefined) throw new Error('TEST_DATABASE_URL must name a PostgreSQL server');
  return url;
}

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl() });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
