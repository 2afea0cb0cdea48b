/**
 * @redis
 * @operation
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import request from 'supertest';
import { ConfigError, loadConfig } from '../../../src/platform/config/index.js';
import { migrate } from '../../../src/bootstrap/migrate.js';
import { PendingMigrationsError } from '../../../src/bootstrap/pending-migrations.js';
import { type Role, run, type RunOptions } from '../../../src/bootstrap/run.js';
import { createDatabase, type TestDatabase } from '../../support/database.js';
import { ownQueues } from '../../support/own-queues.js';
import { ServiceProcess } from '../../support/service-process.js';
import { git } from '../../unit/git/support/workshop.js';
import { eventually } from '../../unit/queue/support/eventually.js';

jest.setTimeout(300_000);

/** For what several processes have to get round to on a busy machine. */
const PATIENCE_MS = 60_000;
const TOKEN = 'token-of-the-roles';

async function query<Row>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as Row[];
  } finally {
    await client.end();
  }
}

describe('the processes of the service', () => {
  let folder: string;
  let database: TestDatabase;
  const started: ServiceProcess[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'trellis-roles-'));
    database = await createDatabase();
  });

  afterAll(async () => {
    await Promise.all(started.map((service) => service.kill('SIGKILL')));
    await database.drop();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  function start(role: string, env: Record<string, string> = {}): ServiceProcess {
    const service = ServiceProcess.start(role, { DATA_DIR: path.join(folder, 'data'), ...env });
    started.push(service);
    return service;
  }

  /** Of a role that does not come to be a process. */
  const options = (env: Record<string, string> = {}): RunOptions => ({
    config: loadConfig({ DATA_DIR: path.join(folder, 'data'), LOG_LEVEL: 'silent', ...env }),
    packageRoot: process.cwd(),
    print: () => undefined,
  });

  /** What the person at the terminal is told, without a stack, when a role does not start. */
  async function problemsOf(role: Role): Promise<readonly string[]> {
    const error: unknown = await run(role, options()).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).problems;
  }

  describe('refuse to start', () => {
    it('with an invalid value, and name each with the allowed values', async () => {
      const service = start('all', { PORT: '70000', LOG_LEVEL: 'loud', ROOT_PASSWORD: 'short' });
      expect(await service.ended).toEqual({ code: 2, signal: null });
      expect(service.output).toContain(
        'PORT="70000", allowed: a port from 1 to 65535, or 0 for a free one',
      );
      expect(service.output).toContain('LOG_LEVEL="loud", allowed: one of fatal, error, warn');
      expect(service.output).toContain('ROOT_PASSWORD=(not shown), allowed: 8 to 128 characters');
      expect(service.output).not.toMatch(/short|\n\s+at /);
    });

    it.each(['api', 'worker'] as const)('as %s without a database of their own', (role) =>
      expect(problemsOf(role)).resolves.toEqual([
        expect.stringContaining(`DATABASE_URL is unset, but the ${role} process needs it`),
      ]),
    );

    it('and write nothing to the data folder', async () => {
      await expect(readdir(path.join(folder, 'data'))).rejects.toThrow('ENOENT');
    });
  });

  it('require a migrated database; migrations can run concurrently and repeatedly', async () => {
    const name = `test_${randomBytes(6).toString('hex')}`;
    const server = process.env['TEST_DATABASE_URL'] ?? '';
    const url = new URL(server);
    url.pathname = `/${name}`;
    await query(server, `CREATE DATABASE ${name}`);
    try {
      const env = { DATABASE_URL: url.href };
      for (const role of ['api', 'worker'] as const) {
        await expect(run(role, options(env))).rejects.toThrow(PendingMigrationsError);
      }
      const tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'";
      expect(await query(url.href, tables)).toEqual([]);
      await Promise.all([migrate(url.href), migrate(url.href)]);
      const applied = await query(url.href, 'SELECT name FROM migrations ORDER BY id');
      expect(applied.length).toBeGreaterThan(0);
      expect(new Set(applied.map((row) => JSON.stringify(row))).size).toBe(applied.length);
      const again = ServiceProcess.run(['migrate'], { DATA_DIR: folder, ...env });
      started.push(again);
      expect(await again.ended).toEqual({ code: 0, signal: null });
      expect(again.output).toContain('The database is up to date.');
      expect(await query(url.href, 'SELECT name FROM migrations ORDER BY id')).toEqual(applied);
    } finally {
      await query(server, `DROP DATABASE ${name} WITH (FORCE)`);
    }
  });

  it('share the work: the worker packs what is pushed through the api', async () => {
    const env = { ...(await ownQueues()), DATABASE_URL: database.url, ROOT_TOKEN: TOKEN };
    const api = start('api', env);
    const url = await api.url();
    const made = await request(url)
      .post('/api/v3/projects')
      .set('PRIVATE-TOKEN', TOKEN)
      .send({ name: 'shared' })
      .expect(200);

    const work = path.join(folder, 'work');
    await git(['init', '--quiet', work]);
    await git(['commit', '--quiet', '--allow-empty', '--message', 'First'], { cwd: work });
    const remote = `${url.replace('//', `//root:${TOKEN}@`)}/root/shared.git`;
    await git(['push', '--quiet', remote, 'HEAD:refs/heads/master'], { cwd: work });
    const waiting = await query(database.url, 'SELECT name, enqueued_at FROM outbox');
    expect(waiting).toEqual([{ name: 'tidy-repository', enqueued_at: null }]);

    const worker = start('worker', env);
    await worker.says(/The worker is running/);
    await query(database.url, 'UPDATE outbox SET run_at = now() WHERE enqueued_at IS NULL');
    await eventually(async () => {
      expect(await query(database.url, 'SELECT name, error FROM outbox')).toEqual([]);
    }, PATIENCE_MS);
    const { id } = made.body as { id: number };
    const files = await readdir(path.join(folder, 'data', 'repositories'), { recursive: true });
    const graph = new RegExp(`/${String(id)}\\.git/objects/info/commit-graphs/graph-\\w+\\.graph$`);
    expect(files.filter((file) => graph.test(file))).toHaveLength(1);

    expect(await worker.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    await request(url).get('/readyz').expect(200);
    expect(await api.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  });
});
