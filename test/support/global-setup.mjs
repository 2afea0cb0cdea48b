// One PostgreSQL for the whole run, and in it one migrated database that every test database is
// copied from. What the service itself is made of does the work, as built.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { isProfiled, note } from '../../scripts/profile/notes.mjs';

const TEMPLATE = 'trellis_template';

const silent = { info() {}, warn() {}, error() {}, debug() {} };

export default async function setUp() {
  const { EmbeddedPostgres } = await import('../../dist/src/platform/database/embedded/index.js');
  const { migrate } = await import('../../dist/src/bootstrap/migrate.js');
  const folder = await mkdtemp(path.join(tmpdir(), 'trellis-test-'));
  try {
    const server = await EmbeddedPostgres.start({
      dataDir: folder,
      logger: silent,
      durability: 'off',
    });
    globalThis.trellisTestServer = { server, folder };
    if (isProfiled()) await noteServer(folder);
    await createTemplate(server, migrate);
    process.env.TEST_DATABASE_URL = server.databaseUrl('postgres');
    process.env.TEST_DATABASE_TEMPLATE = TEMPLATE;
    process.env.TEST_DATABASE_SUPERUSER_URL = await superuserUrl(server, folder);
  } catch (error) {
    await globalThis.trellisTestServer?.server.stop();
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** For what PostgreSQL keeps from the service's role, such as `auto_explain`. */
async function superuserUrl(server, folder) {
  const url = new URL(server.databaseUrl('postgres'));
  url.username = 'postgres';
  url.password = (await readFile(path.join(folder, 'postgres.password'), 'utf8')).trim();
  return url.href;
}

async function noteServer(folder) {
  const file = await readFile(path.join(folder, 'postgres', 'postmaster.pid'), 'utf8');
  note('processes', { pid: parseInt(file, 10), role: 'server' });
}

async function createTemplate(server, migrate) {
  const client = new pg.Client({ connectionString: server.databaseUrl('postgres') });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${TEMPLATE}`);
  } finally {
    await client.end();
  }
  await migrate(server.databaseUrl(TEMPLATE));
}
