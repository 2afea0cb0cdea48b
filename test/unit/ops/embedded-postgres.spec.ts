/** @operation */
import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import {
  DataDirInUseError,
  EmbeddedPostgres,
} from '../../../src/platform/database/embedded/index.js';

const messages: string[] = [];
const log = new EventEmitter();
const tell = (message: string): void => {
  messages.push(message);
  log.emit('message', message);
};
const logger = { info: tell, warn: tell, error: tell };

/** Resolves at the next message with the given words in it. */
const told = (words: string): Promise<void> =>
  new Promise((resolve) => {
    log.on('message', (message: string) => {
      if (message.includes(words)) resolve();
    });
  });

async function queryAll(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as unknown[];
  } finally {
    await client.end();
  }
}

describe('EmbeddedPostgres', () => {
  let folder: string;
  let dataDir: string;
  let server: EmbeddedPostgres;

  const start = () => EmbeddedPostgres.start({ dataDir, logger, durability: 'off' });
  const postmasterPid = async (): Promise<number> =>
    Number((await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0]);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trellis-embedded-'));
    dataDir = join(folder, 'data');
    // What a service leaves behind that was killed while it made the cluster.
    await mkdir(join(dataDir, 'postgres.init-killed', 'cluster'), { recursive: true });
    server = await start();
  });

  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  it('listens on the loopback interface only', async () => {
    const rows = await queryAll(server.url, `SHOW listen_addresses`);
    expect(rows).toEqual([{ listen_addresses: '127.0.0.1' }]);
  });

  if (process.platform === 'linux') {
    it('has no other socket', async () => {
      const { port } = new URL(server.url);
      const suffix = `:${Number(port).toString(16).toUpperCase().padStart(4, '0')}`;
      const [tcp, tcp6, unix] = await Promise.all(
        ['tcp', 'tcp6', 'unix'].map((name) =>
          readFile(`/proc/net/${name}`, 'utf8').catch(() => ''),
        ),
      );
      const listening = `${tcp}\n${tcp6}`
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
        .filter(([, local, , state]) => local?.endsWith(suffix) && state === '0A')
        .map(([, local]) => local);
      expect(listening).toEqual([`0100007F${suffix}`]);
      expect(unix).not.toContain(`.s.PGSQL.${port}`);
    });
  }

  it('refuses connections without the password', async () => {
    const url = new URL(server.url);
    url.password = 'guess';
    await expect(queryAll(url.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
    url.username = 'postgres';
    await expect(queryAll(url.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
    const { mode } = await stat(join(dataDir, 'postgres.password'));
    expect(mode & 0o777).toBe(0o600);
  });

  it('gives the service a role that owns its database and reads no files', async () => {
    const rows = await queryAll(
      server.url,
      `SELECT pg_encoding_to_char(encoding) AS encoding, datlocprovider, datlocale, pg_get_userbyid(datdba) AS owner
         FROM pg_database WHERE datname = current_database()`,
    );
    expect(rows).toEqual([
      { encoding: 'UTF8', datlocprovider: 'b', datlocale: 'C.UTF-8', owner: 'trellis' },
    ]);
    await expect(queryAll(server.url, `SELECT pg_read_file('/etc/passwd')`)).rejects.toMatchObject({
      code: '42501',
    });
  });

  it('permits the service to create databases from a template', async () => {
    await queryAll(server.databaseUrl('postgres'), 'CREATE DATABASE "a copy" TEMPLATE trellis');
    const rows = await queryAll(server.databaseUrl('a copy'), 'SELECT current_database() AS name');
    expect(rows).toEqual([{ name: 'a copy' }]);
  });

  it('refuses a second server on the same folder', async () => {
    await expect(start()).rejects.toThrow(DataDirInUseError);
    await expect(start()).rejects.toThrow(`in use by process ${process.pid}`);
  });

  it('starts the server again on the same port when it dies', async () => {
    const { url } = server;
    // Without that the server may still hold the row in its memory alone.
    const safely = 'SET synchronous_commit = on';
    await queryAll(url, `${safely}; CREATE TABLE survives AS SELECT 7 AS value`);
    const before = await postmasterPid();
    const again = told('is running again');
    process.kill(before, 'SIGKILL');
    await again;
    expect(await queryAll(url, 'SELECT value FROM survives')).toEqual([{ value: 7 }]);
    expect(server.url).toBe(url);
    expect(await postmasterPid()).not.toBe(before);
    expect(messages.join('\n')).toContain('PostgreSQL ended (SIGKILL)');
  });

  it('stops cleanly and starts again with a lost password and a pid file naming a stranger', async () => {
    await server.stop();
    expect((await readdir(dataDir)).sort()).toEqual([
      'postgres',
      'postgres.log',
      'postgres.password',
    ]);

    const stranger = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1e6)'], {
      stdio: 'ignore',
    });
    const gone = new Promise((resolve) => stranger.once('exit', (_, signal) => resolve(signal)));
    try {
      await writeFile(join(dataDir, 'postgres/postmaster.pid'), `${stranger.pid}\n`);
      await rm(join(dataDir, 'postgres.password'));
      server = await start();
      expect(await queryAll(server.url, 'SELECT value FROM survives')).toEqual([{ value: 7 }]);
      expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
    } finally {
      stranger.kill('SIGTERM');
      await gone;
    }
  });

  it('refuses a cluster folder with other data, and releases the lock', async () => {
    const other = join(folder, 'other');
    await mkdir(join(other, 'postgres'), { recursive: true });
    await writeFile(join(other, 'postgres', 'letter.txt'), 'mine');
    await expect(EmbeddedPostgres.start({ dataDir: other, logger })).rejects.toThrow(
      'neither empty nor a PostgreSQL cluster',
    );
    expect(await readdir(other)).toEqual(['postgres']);
    expect(await readdir(join(other, 'postgres'))).toEqual(['letter.txt']);
  });
});
