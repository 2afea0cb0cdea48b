/** @operation */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import type { SystemUser } from '../../../src/platform/database/embedded/process/launcher.js';
import { Sandbox } from './sandbox.js';
import { processStamp } from '../../../src/platform/database/embedded/process/process-info.js';

const NOBODY: SystemUser = { uid: 65_534, gid: 65_534 };
// Making a cluster waits for the disk, which may be slow.
const TIMEOUT_MS = 120_000;
const asRoot = process.getuid?.() === 0;

async function query<T>(url: string, sql: string): Promise<T[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(sql);
    return rows as T[];
  } finally {
    await client.end();
  }
}

interface Case {
  readonly name: string;
  readonly mode: number;
  readonly user?: SystemUser;
}

// Which users can be tried depends on who runs the tests; root can be everybody.
const CASES: Case[] = asRoot
  ? [
      { name: 'root', mode: 0o755 },
      { name: 'root, in a folder no other user may enter', mode: 0o700 },
      { name: 'an ordinary user', mode: 0o755, user: NOBODY },
    ]
  : [{ name: 'an ordinary user', mode: 0o755 }];

describe.each(CASES)('a service on the embedded server, started by $name', ({ mode, user }) => {
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await Sandbox.create(mode, user);
  }, TIMEOUT_MS);

  afterAll(async () => {
    await sandbox.dispose();
  });

  it('recovers from kill -9 with every committed row, and stops cleanly', async () => {
    const first = sandbox.start();
    const firstUrl = await first.url;
    await query(firstUrl, 'CREATE TABLE kept AS SELECT generate_series(1, 1000) AS id');
    const orphan = await sandbox.server();
    expect(orphan.uid).not.toBe(0);

    first.kill('SIGKILL');
    expect(await first.ended).toBe('SIGKILL');
    expect(await processStamp(orphan.pid)).toBeDefined();

    const second = sandbox.start();
    const rows = await query(await second.url, 'SELECT count(*)::int AS count FROM kept');
    expect(rows).toEqual([{ count: 1000 }]);
    expect(await processStamp(orphan.pid)).toBeUndefined();

    const third = sandbox.start();
    await expect(third.url).rejects.toThrow(`in use by process ${second.pid}`);
    expect(await third.ended).toBe(1);

    const server = await sandbox.server();
    second.kill('SIGTERM');
    expect(await second.ended).toBe(0);
    expect(await processStamp(server.pid)).toBeUndefined();
    expect((await readdir(sandbox.dataDir)).sort()).toEqual([
      'postgres',
      'postgres.log',
      'postgres.password',
    ]);
    const log = await readFile(join(sandbox.dataDir, 'postgres.log'), 'utf8');
    expect(log.trimEnd()).toMatch(/database system is shut down$/);
  });
});
