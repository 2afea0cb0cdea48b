import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { createDatabase, type TestDatabase } from './database.js';

const FOLDER = path.resolve('test', 'upgrade');

/** The releases whose data `test/upgrade/make-fixture.mjs` has written, oldest first. */
export const RELEASES = readdirSync(FOLDER)
  .filter((name) => /^\d+\.\d+\.\d+$/.test(name))
  .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));

export interface ReleaseData {
  database: TestDatabase;
  /** With the repositories of its projects. */
  dataDir: string;
}

/** Restores the instance of `test/upgrade/example.mjs` as a release has left it, as if it had been stopped just now. */
export async function restoreRelease(version: string): Promise<ReleaseData> {
  const database = await restoreDatabase(version);
  const dataDir = await mkdtemp(path.join(tmpdir(), 'trellis-release-'));
  const archive = path.join(FOLDER, version, 'data.tar.gz');
  await promisify(execFile)('tar', ['-xzf', archive, '-C', dataDir]);
  return { database, dataDir };
}

/** Restores the database alone. */
export async function restoreDatabase(version: string): Promise<TestDatabase> {
  const database = await createDatabase({ isEmpty: true });
  const dump = gunzipSync(await readFile(path.join(FOLDER, version, 'database.sql.gz')));
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await client.query(dump.toString());
    await client.query(AS_OF_NOW);
  } finally {
    await client.end();
  }
  return database;
}

/** Moves all times, so that what the release left is not too old to be kept or tried again. */
const AS_OF_NOW = `
  DO $$
  DECLARE
    age interval := now() - (SELECT max(created_at) FROM public.events);
    col record;
  BEGIN
    FOR col IN
      SELECT c.table_name, c.column_name FROM information_schema.columns c
        JOIN information_schema.tables t USING (table_schema, table_name)
       WHERE c.table_schema = 'public' AND c.data_type = 'timestamp with time zone' AND t.table_type = 'BASE TABLE'
    LOOP
      EXECUTE format('UPDATE %I SET %2$I = %2$I + $1', col.table_name, col.column_name) USING age;
    END LOOP;
  END $$`;
