import { writeFile, rm } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';

export default async function tearDown() {
  const { server, folder } = globalThis.trellisTestServer;
  const databases = await databasesOfTests(server);
  await server.stop();
  await rm(folder, { recursive: true, force: true });
  await writeFile(
    path.join(process.env.TEST_NOTES, 'databases.json'),
    JSON.stringify({ databases }),
  );
}

/** Those that a suite has created and not dropped. */
async function databasesOfTests(server) {
  const client = new pg.Client({ connectionString: server.databaseUrl('postgres') });
  await client.connect();
  try {
    const { rows } = await client.query(
      String.raw`SELECT datname FROM pg_database WHERE datname LIKE 'test\_%' ORDER BY 1`,
    );
    return rows.map(({ datname }) => datname);
  } finally {
    await client.end();
  }
}
