/** @operation */
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import type { Check } from '../../../src/cli/doctor/check.js';
import { checkDatabase } from '../../../src/cli/doctor/database-checks.js';
import { examine, type DoctorSurroundings } from '../../../src/cli/doctor/doctor.js';
import { checkRedis } from '../../../src/cli/doctor/redis-checks.js';
import type { DatabaseReport } from '../../../src/cli/probes/database.js';
import type { FailoverReport } from '../../../src/cli/probes/redis.js';
import { probeDisk } from '../../../src/platform/monitoring/index.js';
import { withinLimit } from '../../../src/cli/probes/time-limit.js';
import { isHealthy, readStatus } from '../../../src/cli/status/status.js';
import { type Config, loadConfig } from '../../../src/platform/config/index.js';
import { createDatabase, type TestDatabase } from '../../support/database.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(60_000);

const UNREACHABLE_REDIS = 'redis://127.0.0.1:1';

describe('status and doctor', () => {
  let trellis: Trellis;
  let folder: string;
  /** Of an instance that does not run, with a database without a user. */
  let idle: TestDatabase;

  beforeAll(async () => {
    // What suites of a shared service leave behind, such as jobs that nobody runs, would be found here.
    trellis = await Trellis.start({ because: 'state of the instance' });
    await trellis.factories.user();
    folder = await mkdtemp(path.join(tmpdir(), 'trellis-doctor-'));
    idle = await createDatabase();
  });

  afterAll(async () => {
    await trellis.stop();
    await idle.drop();
    await rm(folder, { recursive: true, force: true });
  });

  /** The settings of the running service. */
  function settings(env: Record<string, string> = {}): Config {
    return loadConfig({
      ...trellis.sharedEnvironment,
      PORT: new URL(trellis.url).port,
      EXTERNAL_URL: trellis.url,
      SSH_PORT: 'off',
      ...env,
    });
  }

  async function findings(
    config: Config,
    surroundings: Partial<DoctorSurroundings> = {},
  ): Promise<Check[]> {
    const checks = await examine(config, {
      ...{ uid: process.getuid?.(), probeDisk, now: () => new Date() },
      ...surroundings,
    });
    for (const { state, advice } of checks) expect(advice === undefined).toBe(state === 'ok');
    return checks.filter(({ state }) => state !== 'ok');
  }

  it('reports no problem for a running service', async () => {
    const checks = await findings(settings());
    // What the machine of the test has too little of.
    const others = /disk|ssh-client|connections/;
    expect(checks.filter(({ name }) => !others.test(name))).toEqual([]);
  });

  it.each<[string, string, Partial<DoctorSurroundings>]>([
    ['a wrong owner', 'data-dir', { uid: 4_711 }],
    ['a clock that is ahead', 'database-clock', { now: () => new Date(Date.now() - 60_000) }],
    [
      'a full disk',
      'data-dir disk',
      {
        probeDisk: () =>
          Promise.resolve({ freeBytes: 0, totalBytes: 9e9, freeFiles: 9, totalFiles: 9 }),
      },
    ],
    [
      'a disk without inodes',
      'storage default disk',
      {
        probeDisk: () =>
          Promise.resolve({ freeBytes: 8e9, totalBytes: 9e9, freeFiles: 0, totalFiles: 9e6 }),
      },
    ],
  ])('reports %s', async (_, name, surroundings) => {
    const checks = await findings(settings(), surroundings);
    expect(checks).toContainEqual(expect.objectContaining({ name, state: 'problem' }));
  });

  it('reports an old and a missing git', async () => {
    const before = process.env['PATH'];
    const git = path.join(folder, 'git');
    await writeFile(git, '#!/bin/sh\necho git version 2.30.2\n');
    await chmod(git, 0o700);
    try {
      process.env['PATH'] = `${folder}:${before}`;
      const [old] = await findings(settings());
      expect(old).toMatchObject({
        name: 'git',
        state: 'problem',
        detail: 'git 2.38 or newer is needed; found 2.30.2',
      });
      process.env['PATH'] = path.join(folder, 'absent');
      const [absent] = await findings(settings());
      expect(absent).toMatchObject({ name: 'git', state: 'problem', detail: 'git cannot be run' });
      expect((await readStatus(settings())).versions.git).toBeNull();
    } finally {
      process.env['PATH'] = before;
    }
  });

  it('reports a missing and a wrong key, and creates none', async () => {
    const missing = await findings(settings({ DATA_DIR: folder, SECRET_KEY: '' }));
    const name = 'secret-key';
    expect(missing).toContainEqual(
      expect.objectContaining({
        ...{ name, state: 'problem' },
        detail: expect.stringMatching(/^there is no SECRET_KEY, and no file /) as string,
      }),
    );
    const wrong = await findings(settings({ SECRET_KEY: 'k'.repeat(32) }));
    expect(wrong).toContainEqual(expect.objectContaining({ name, state: 'problem' }));
  });

  it('reports unreadable host keys, and programs on the ports of the service', async () => {
    const data = path.join(folder, 'data');
    await mkdir(data);
    await chmod(data, 0o755);
    await writeFile(path.join(data, 'ssh_host_rsa_key'), 'garbage');
    const other = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nhello'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const port = String((other.address() as AddressInfo).port);
    try {
      const checks = await findings(
        settings({ DATA_DIR: data, PORT: port, SSH_PORT: port, EXTERNAL_URL: '' }),
      );
      const problems = Object.fromEntries(checks.map(({ name, state }) => [name, state]));
      expect(problems).toMatchObject({
        'data-dir': 'warning',
        'storage default': 'problem',
        'ssh-host-keys': 'problem',
        'http-port': 'problem',
        'ssh-port': 'problem',
        'external-url': 'warning',
      });
    } finally {
      other.close();
    }
  });

  it('reports pending migrations, and unresponsive stores', async () => {
    const client = new pg.Client({ connectionString: idle.url });
    await client.connect();
    await client.query(
      'DELETE FROM migrations WHERE timestamp = (SELECT max(timestamp) FROM migrations)',
    );
    await client.end();
    const env = { DATABASE_URL: idle.url, REDIS_URL: UNREACHABLE_REDIS };
    const checks = await findings(settings(env));
    expect(checks).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'migrations', state: 'problem' }),
        expect.objectContaining({ name: 'redis', state: 'problem' }),
      ]),
    );
    const status = await readStatus(settings(env));
    expect(status).toMatchObject({
      database: { isAnswering: true, pendingMigrations: [expect.any(String)] },
      queue: {
        backend: 'redis',
        isAnswering: false,
        error: expect.stringContaining('ECONNREFUSED') as string,
      },
      work: null,
    });
    expect(isHealthy(status)).toBe(false);

    const away = settings({ DATABASE_URL: 'postgres://trellis@127.0.0.1:1/trellis' });
    expect(await findings(away)).toContainEqual(
      expect.objectContaining({ name: 'database', state: 'problem' }),
    );
    expect(isHealthy(await readStatus(away))).toBe(false);
    const embedded = settings({ DATABASE_URL: '' });
    expect((await readStatus(embedded)).database).toEqual({
      isEmbedded: true,
      isAnswering: false,
      error: `the embedded server of ${trellis.dataDir} is not running`,
    });
  });

  it('shows versions, disk space and pending work of a running service', async () => {
    const status = await readStatus(settings());
    expect(isHealthy(status)).toBe(true);
    expect(status).toMatchObject({
      database: { isEmbedded: false, isAnswering: true, pendingMigrations: [] },
      queue: { backend: 'postgres', isAnswering: true },
      storages: [{ name: 'default', isAnswering: true, freeBytes: expect.any(Number) as number }],
      versions: { node: process.version.slice(1), git: expect.any(String) as string, redis: null },
      work: {
        jobs: expect.any(Array) as unknown[],
        deliveries: { pending: 0 },
        interruptedPushes: 0,
        deletedProjects: expect.any(Number) as number,
      },
    });
  });

  it('counts pushes as interrupted unless they are running', async () => {
    const owner = await trellis.factories.user();
    const project = await trellis.factories.project(owner);
    const interrupted = async () => (await readStatus(settings())).work?.interruptedPushes;
    await trellis.rows(
      `INSERT INTO push_intents (project_id, user_id, updates, host) VALUES ($1, $2, '[]', 'x')`,
      [project.id, owner.user.id],
    );
    expect(await interrupted()).toBe(1);
    await trellis.dataSource.transaction(async (manager) => {
      await manager.query('SELECT pg_advisory_xact_lock(7265002, $1)', [project.id]);
      expect(await interrupted()).toBe(0);
    });
    await trellis.rows('DELETE FROM push_intents WHERE project_id = $1', [project.id]);
  });

  it('checks the settings of PostgreSQL and Redis', () => {
    const now = new Date('2030-01-31T08:00:00Z');
    const report: DatabaseReport = {
      ...{ version: '18.4', encoding: 'UTF8', clock: now, maxConnections: 97, hasTrigrams: true },
      ...{ isPooled: false, pendingMigrations: [] },
    };
    const statesOf = (checks: readonly Check[]) =>
      checks.flatMap(({ name, state }) => (state === 'ok' ? [] : [`${name} ${state}`]));
    const databaseStates = (changes: Partial<DatabaseReport>) =>
      statesOf(checkDatabase(settings(), { ...report, ...changes }, now));
    expect(databaseStates({})).toEqual([]);
    expect(databaseStates({ encoding: 'LATIN1' })).toEqual(['encoding problem']);
    expect(databaseStates({ hasTrigrams: false })).toEqual(['pg_trgm problem']);
    expect(databaseStates({ isPooled: true })).toEqual(['pooler warning']);
    // 10, 7 for pushes, 4 and one that listens, of an api and a worker each.
    expect(databaseStates({ maxConnections: 43 })).toEqual(['connections problem']);
    expect(databaseStates({ maxConnections: 44 })).toEqual(['connections warning']);
    expect(databaseStates({ clock: new Date('2030-01-31T08:00:06Z') })).toEqual([
      'database-clock problem',
    ]);
    const redisStates = (evictionPolicy: string | undefined, clock = now) =>
      statesOf(checkRedis({ version: '7.0', clock, evictionPolicy }, now));
    expect(redisStates('noeviction')).toEqual([]);
    expect(redisStates(undefined)).toEqual(['redis-eviction warning']);
    expect(redisStates('allkeys-lru', new Date('2030-01-31T07:00:00Z'))).toEqual([
      'redis-eviction problem',
      'redis-clock problem',
    ]);
    const failoverStates = (failover: Partial<FailoverReport>) => {
      const whole = {
        by: 'sentinel',
        master: 'a:1',
        replicas: 2,
        silent: [],
        obstacle: null,
      } as const;
      const report = { version: '7.0', clock: now, evictionPolicy: 'noeviction' };
      return statesOf(checkRedis({ ...report, failover: { ...whole, ...failover } }, now));
    };
    expect(failoverStates({})).toEqual([]);
    expect(failoverStates({ silent: ['b:2: connect ECONNREFUSED'] })).toEqual([
      'redis-failover warning',
    ]);
    expect(failoverStates({ replicas: 0 })).toEqual(['redis-failover warning']);
    expect(failoverStates({ obstacle: 'NOQUORUM' })).toEqual(['redis-failover problem']);
  });

  it('stops waiting for unresponsive servers at its limit', async () => {
    await expect(withinLimit(new Promise(() => undefined), 10)).rejects.toThrow(
      'no answer within 0.01 s',
    );
  });
});
