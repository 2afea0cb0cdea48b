import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { PreparingClient } from '../../src/platform/database/index.js';
import { measured, nameDatabase } from './profile/measured.js';

/** A database of the test's own, empty but for what the migrations put there. */
export interface TestDatabase {
  url: string;
  drop: () => Promise<void>;
  /** Cuts all connections off and takes no new ones, as a server that is down. */
  close: () => Promise<void>;
  open: () => Promise<void>;
}

/** @param options.isEmpty without the migrations */
export function createDatabase({ isEmpty = false } = {}): Promise<TestDatabase> {
  return createFrom(isEmpty ? 'template0' : required('TEST_DATABASE_TEMPLATE'));
}

/** Copies a database of a test, whose sessions are ended for that. */
export async function copyDatabase(source: TestDatabase): Promise<TestDatabase> {
  await source.close();
  try {
    return await createFrom(new URL(source.url).pathname.slice(1));
  } finally {
    await source.open();
  }
}

/** The address of a database for a superuser. */
export function superuserUrl({ url }: TestDatabase): string {
  const address = new URL(required('TEST_DATABASE_SUPERUSER_URL'));
  address.pathname = new URL(url).pathname;
  return address.href;
}

async function createFrom(template: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  nameDatabase(name);
  await asOwner(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  const url = new URL(required('TEST_DATABASE_URL'));
  url.pathname = `/${name}`;
  const takesConnections = (answer: boolean) =>
    asOwner(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS ${String(answer)}`);
  return {
    url: url.href,
    drop: () => asOwner(`DROP DATABASE ${name} WITH (FORCE)`),
    close: async () => {
      await takesConnections(false);
      await asOwner(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
      );
    },
    open: () => takesConnections(true),
  };
}

/** Opens a pool of connections such as the service's, without its entities. */
export function openDataSource({ url }: TestDatabase): Promise<DataSource> {
  const extra = { Client: PreparingClient };
  return new DataSource({ type: 'postgres', url, poolSize: 5, extra }).initialize();
}

function asOwner(statement: string): Promise<void> {
  return measured('databases', async () => {
    const client = new pg.Client({ connectionString: required('TEST_DATABASE_URL') });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  });
}

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: is this run by Jest?`);
  return value;
}
