/**
 * @needs unshare nsenter setpriv
 * @operation
 */
import { chmod, chown, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import request from 'supertest';
import type { Check } from '../../../src/cli/doctor/check.js';
import type { Status } from '../../../src/cli/status/status.js';
import { runCommand } from '../../support/commands.js';
import { createDatabase, type TestDatabase } from '../../support/database.js';
import { ServiceProcess, type Surroundings } from '../../support/service-process.js';
import { SmallDisk } from '../../support/small-disk.js';
import { until } from '../../support/until.js';
import { git } from '../../unit/git/support/workshop.js';

jest.setTimeout(300_000);

const TOKEN = 'token-of-the-failures';
/** An account that owns nothing else. */
const OTHER_ACCOUNT = 65_534;
const isRoot = process.getuid?.() === 0;
const ADD_JOB = `INSERT INTO outbox (queue, name, payload) VALUES ('repositories', 'tidy-repository', '{}')`;

interface Readiness {
  status: string;
  failing?: string[];
  storages?: string[];
  reasons?: Record<string, string>;
  warnings?: Record<string, string>;
}

/** By `GET /readyz`, `trellis status` and `trellis doctor`. */
describe('reports of failures to operators', () => {
  let folder: string;
  let dataDir: string;
  let database: TestDatabase;
  let service: ServiceProcess;
  let url: string;
  let env: Record<string, string>;
  let surroundings: Surroundings;

  async function prepare(): Promise<void> {
    folder = await mkdtemp(path.join(tmpdir(), 'trellis-failures-'));
    database = await createDatabase();
    dataDir = path.join(folder, 'data');
    await mkdir(dataDir);
    env = { DATA_DIR: dataDir, DATABASE_URL: database.url, ROOT_TOKEN: TOKEN };
    surroundings = {};
  }

  async function end(): Promise<void> {
    await service.kill('SIGTERM');
    await database.drop();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }

  async function start(role: 'all' | 'api'): Promise<void> {
    service = ServiceProcess.start(role, env, surroundings);
    url = await service.url();
  }

  async function readiness(): Promise<[number, Readiness]> {
    const { status, body } = await request(url).get('/readyz');
    return [status, body as Readiness];
  }

  /** Runs a command in this process, where that has the surroundings of the service. */
  async function command<Result>(
    name: 'status' | 'doctor',
  ): Promise<{ code: number | null; result: Result }> {
    const args = [name, '--json'];
    if (surroundings.within === undefined) {
      const { code, output } = await runCommand(args, { ...env, PORT: '0', SSH_PORT: 'off' });
      return { code, result: JSON.parse(output) as Result };
    }
    const process = ServiceProcess.run(args, env, surroundings);
    const { code } = await process.ended;
    return { code, result: JSON.parse(process.output) as Result };
  }

  async function problems(): Promise<Record<string, string | undefined>> {
    const { result } = await command<Check[]>('doctor');
    const found = result.filter(({ state }) => state === 'problem');
    return Object.fromEntries(found.map(({ name, advice }) => [name, advice]));
  }

  const post = (resource: string, input: object) =>
    request(url).post(`/api/v3${resource}`).set('PRIVATE-TOKEN', TOKEN).send(input);

  const get = (resource: string) =>
    request(url).get(`/api/v3${resource}`).set('PRIVATE-TOKEN', TOKEN);

  async function query(sql: string): Promise<void> {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(sql);
    await client.end();
  }

  /** Makes a project with a commit. @returns the path of its repository */
  async function pushed(): Promise<string> {
    const made = await post('/projects', { name: 'one' }).expect(200);
    const work = path.join(folder, 'work');
    await git(['init', '--quiet', work]);
    await git(['commit', '--quiet', '--allow-empty', '--message', 'First'], { cwd: work });
    const remote = `${url.replace('//', `//root:${TOKEN}@`)}/root/one.git`;
    await git(['push', '--quiet', remote, 'HEAD:refs/heads/master'], { cwd: work });
    const { id } = made.body as { id: number };
    const root = path.join(dataDir, 'repositories');
    const entries = await readdir(root, { recursive: true });
    return path.join(root, entries.find((entry) => entry.endsWith(`/${String(id)}.git`)) ?? '');
  }

  const commits = () => get('/projects/root%2Fone/repository/commits');

  describe('of a service that runs jobs', () => {
    beforeAll(async () => {
      await prepare();
      await start('all');
    });
    afterAll(end);

    it('reports nothing for a healthy service', async () => {
      expect(await readiness()).toEqual([200, { status: 'ok' }]);
      const { code, result } = await command<Status>('status');
      expect(result).toMatchObject({
        isRestoreIncomplete: false,
        dataDir: { problem: null },
        storages: [{ problem: null }],
        unreachableRepositories: [],
        work: { unattendedJobs: null },
      });
      expect(code).toBe(0);
      expect(await readdir(dataDir)).not.toContainEqual(expect.stringContaining('write-test'));
    });

    it('reports missing repositories', async () => {
      const repository = await pushed();
      await commits().expect(200);
      await rename(repository, path.join(folder, 'aside.git'));
      await until(async () => (await commits()).status === 503);
      expect(await readiness()).toEqual([
        200,
        {
          status: 'ok',
          warnings: { repositories: '1 of the 1 used last: its repository is missing' },
        },
      ]);
      const { code, result } = await command<Status>('status');
      expect(result.unreachableRepositories).toEqual([
        { project: 'root/one', path: repository, reason: 'its repository is missing' },
      ]);
      expect(code).toBe(3);
      expect((await problems())['repositories']).toMatch(/^mount the storage if it is not; /);
      await rename(path.join(folder, 'aside.git'), repository);
    });

    it('reports an interrupted restore', async () => {
      await writeFile(path.join(dataDir, 'restore.incomplete'), '');
      const { code, result } = await command<Status>('status');
      expect(result.isRestoreIncomplete).toBe(true);
      expect(code).toBe(3);
      expect((await problems())['restore']).toBe('repeat `trellis restore` with --force');
      const text = await runCommand(['status'], env);
      expect(text.output).toMatch(/^restore +was interrupted/m);
    });
  });

  describe('of a service without job processes', () => {
    beforeAll(async () => {
      await prepare();
      await start('api');
    });
    afterAll(end);

    it('reports jobs that no process runs', async () => {
      await post('/projects', { name: 'one' }).expect(200);
      expect(await readiness()).toEqual([
        200,
        { status: 'ok', warnings: { jobs: 'no process runs jobs: none is due yet' } },
      ]);
      await query(ADD_JOB);
      const [, { warnings }] = await readiness();
      expect(warnings).toEqual({
        jobs: expect.stringMatching(
          /^no process runs jobs: 1 is due, the oldest for \d+ s$/,
        ) as string,
      });
      const { code, result } = await command<Status>('status');
      expect(result.work?.unattendedJobs).toMatchObject({ due: 1, hasMore: false });
      expect(code).toBe(3);
      expect((await problems())['jobs']).toContain('trellis start worker');
      const text = ServiceProcess.run(['status'], env);
      await text.ended;
      expect(text.output).toMatch(/^worker +no process runs jobs: 1 is due/m);
      await query(`DELETE FROM outbox WHERE name = 'tidy-repository'`);
    });

    it('reports due jobs once all processes have ended', async () => {
      const statusCode = async () => (await command<Status>('status')).code;
      await service.kill('SIGTERM');
      expect(await statusCode()).toBe(0);
      await query(ADD_JOB);
      expect(await statusCode()).toBe(3);
    });
  });

  describe('of its disk and its files', () => {
    beforeEach(prepare);
    afterEach(end);

    it('reports a full disk', async () => {
      const disk = await SmallDisk.mount(16);
      try {
        env = { ...env, DATA_DIR: disk.folder };
        surroundings = { within: disk.within };
        await start('all');
        await post('/projects', { name: 'one' }).expect(200);
        await disk.fill();

        const reason = 'the disk is full';
        expect(await readiness()).toEqual([
          503,
          {
            status: 'unavailable',
            failing: ['storage', 'data-dir'],
            storages: ['default'],
            reasons: { default: reason, 'data-dir': reason },
          },
        ]);
        const refused = await post('/projects', { name: 'two' }).expect(503);
        expect(refused.body).toEqual({ message: `503 Service Unavailable - ${reason}` });
        await get('/projects/root%2Fone').expect(200);
        const { code, result } = await command<Status>('status');
        expect(result).toMatchObject({
          dataDir: { isAnswering: true, problem: reason },
          storages: [{ isAnswering: true, problem: reason }],
        });
        expect(code).toBe(3);
        const advice = 'free some room, or raise the quota';
        expect(await problems()).toMatchObject({
          'hook-program': advice,
          'data-dir file-system': advice,
          'storage default file-system': advice,
        });

        await disk.free();
        expect(await readiness()).toEqual([200, { status: 'ok' }]);
        await post('/projects', { name: 'two' }).expect(200);
      } finally {
        await service.kill('SIGTERM');
        await disk.unmount();
      }
    });

    it('advises chown for files that the account of the service may not read', async () => {
      // Root may read all.
      if (isRoot) {
        await chmod(folder, 0o755);
        await chown(dataDir, OTHER_ACCOUNT, OTHER_ACCOUNT);
        const ids = ['--reuid', '--regid'].map((option) => `${option}=${String(OTHER_ACCOUNT)}`);
        surroundings = { within: ['setpriv', ...ids, '--clear-groups'] };
      }
      await start('all');
      const repository = await pushed();
      const root = path.join(dataDir, 'repositories');
      const account = String(isRoot ? OTHER_ACCOUNT : process.getuid?.());
      const advice = `let the service's account own and read them: chown -R ${account} ${root} && chmod -R u+rwX ${root}`;
      for (const closed of [path.join(repository, 'objects'), repository]) {
        await chmod(closed, 0);
        await until(async () => (await commits()).status === 503);
        expect(await problems()).toEqual({ repositories: advice });
      }
      expect((await commits()).body).toEqual({
        message: '503 Service Unavailable - the service may not read or write its files',
      });
      const [, { warnings }] = await readiness();
      expect(warnings?.['repositories']).toContain('the service may not read or write its files');
      expect((await command<Status>('status')).code).toBe(3);

      await chmod(repository, 0o700);
      await chmod(path.join(repository, 'objects'), 0o700);
      const key = path.join(dataDir, 'secret.key');
      await chmod(key, 0);
      expect((await problems())['secret-key']).toContain(`chown -R ${account} ${key}`);
      await chmod(key, 0o600);
    });
  });
});
