/** @operation */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import request from 'supertest';
import { processStamp } from '../../../src/platform/database/embedded/process/process-info.js';
import { ownQueues } from '../../support/own-queues.js';
import { ServiceProcess } from '../../support/service-process.js';
import { SlowClone, StalledPush } from '../../support/slow-requests.js';
import { git } from '../../unit/git/support/workshop.js';
import { eventually } from '../../unit/queue/support/eventually.js';

jest.setTimeout(300_000);

interface Administrator {
  username: string;
  password: string;
  token: string;
}

const NOTICE =
  /The administrator of this new instance .*\n {2}user name {2}(\S+)\n {2}password {3}(\S+)\n {2}token {6}(\S+)\n/g;
/** A dead process that nobody has collected does not run. */
const isAlive = async (pid: number | null): Promise<boolean> =>
  pid !== null && (await processStamp(pid)) !== undefined;
const STOPPED = { code: 0, signal: null };

describe('the all-in-one service on its embedded database', () => {
  let folder: string;
  let dataDir: string;
  let queues: Record<string, string>;
  let administrator: Administrator;
  const started: ServiceProcess[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'trellis-lifecycle-'));
    dataDir = path.join(folder, 'data');
    queues = await ownQueues();
  });

  afterAll(async () => {
    await Promise.all(started.map((service) => service.kill('SIGKILL')));
    const orphan = await postmaster();
    if (orphan !== null && (await isAlive(orphan))) {
      process.kill(orphan, 'SIGQUIT');
      await eventually(async () => expect(await isAlive(orphan)).toBe(false));
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  function start(): ServiceProcess {
    const service = ServiceProcess.start('all', { DATA_DIR: dataDir, ...queues });
    started.push(service);
    return service;
  }

  /** The database server's process, while its pid file is there. */
  async function postmaster(): Promise<number | null> {
    const file = path.join(dataDir, 'postgres', 'postmaster.pid');
    const text = await readFile(file, 'utf8').catch(() => '');
    return text === '' ? null : Number(text.split('\n')[0]);
  }

  const api = (url: string, verb: 'get' | 'post', target: string) =>
    request(url)[verb](`/api/v3${target}`).set('PRIVATE-TOKEN', administrator.token);

  const address = (url: string) => ({
    url: `${url}/root/kept.git`,
    username: administrator.username,
    password: administrator.token,
  });

  /** A repository with one commit that is larger than what connections hold in between. */
  async function largeRepository(): Promise<{ work: string; commit: string }> {
    const work = path.join(folder, 'work');
    await git(['init', '--quiet', work]);
    await writeFile(path.join(work, 'large'), randomBytes(24 * 1024 * 1024));
    await git(['add', '--all'], { cwd: work });
    await git(['commit', '--quiet', '--message', 'Large'], { cwd: work });
    return { work, commit: await git(['rev-parse', 'HEAD'], { cwd: work }) };
  }

  it('prints the administrator once, with three commands to try', async () => {
    const service = start();
    const url = await service.url();
    await service.says(/Try:(\n {2}curl .+){3}\n/);
    // Below the credentials, with no migration in between.
    expect(service.output).toMatch(
      /\n {2}token .+\n+Trellis serves at (\S+)\n\nIn a browser, .+:\n {2}\1\n\nTry:/,
    );
    const notices = [...service.output.matchAll(NOTICE)];
    expect(notices).toHaveLength(1);
    const [, username = '', password = '', token = ''] = notices[0] ?? [];
    administrator = { username, password, token };
    expect(username).toBe('root');
    // In the notice, and in the first two commands or all three.
    const commands = service.output.slice(service.output.indexOf('Try:')).split('\n').slice(1, 4);
    for (const command of commands) {
      expect(command).toContain(`-H "PRIVATE-TOKEN: ${token}"`);
      expect(command).toContain(`${url.replace('127.0.0.1', 'localhost')}/api/v3/`);
    }
    expect(service.output.split(password)).toHaveLength(2);

    const user = await api(url, 'get', '/user').expect(200);
    expect(user.body).toMatchObject({ username: 'root', is_admin: true });
    const credentials = { login: 'root', password };
    const session = await request(url).post('/api/v3/session').send(credentials);
    expect([200, 201]).toContain(session.status);
    await api(url, 'post', '/projects').send({ name: 'kept' }).expect(200);
  });

  it('refuses a second process on the same data folder', async () => {
    const [first] = started as [ServiceProcess];
    const second = start();
    expect(await second.ended).toEqual({ code: 1, signal: null });
    expect(second.output).toContain(`The data folder ${dataDir} is in use by process ${first.pid}`);
    expect(second.output).toMatch(/Stop that process first, or set DATA_DIR to another folder/);
    await request(await first.url())
      .get('/readyz')
      .expect(200);
  });

  it('recovers after kill -9 with the same data and the same token, and prints no secret', async () => {
    const [first] = started as [ServiceProcess];
    const orphan = await postmaster();
    expect(await first.kill('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
    expect(await isAlive(orphan)).toBe(true);

    const service = start();
    const url = await service.url();
    await service.says(/Try:(\n {2}curl .+){3}\n/);
    expect(service.output).not.toContain('The administrator of this new instance');
    expect(service.output).not.toContain(administrator.token);
    expect(service.output).not.toContain(administrator.password);
    expect(service.output).toContain('PRIVATE-TOKEN: $TOKEN');
    expect(await isAlive(orphan)).toBe(false);
    const projects = await api(url, 'get', '/projects').expect(200);
    expect(projects.body).toMatchObject([{ path_with_namespace: 'root/kept' }]);
  });

  it('finishes a running push and clone on shutdown, and accepts no new requests', async () => {
    const service = started.at(-1) as ServiceProcess;
    const url = await service.url();
    const server = await postmaster();
    const { work, commit } = await largeRepository();
    const { username, password } = address(url);
    const remote = address(url).url.replace('http://', `http://${username}:${password}@`);
    await git(['push', '--quiet', remote, 'HEAD:refs/heads/master'], { cwd: work });
    await git(['commit', '--quiet', '--allow-empty', '--message', 'Next'], { cwd: work });
    const next = await git(['rev-parse', 'HEAD'], { cwd: work });

    const push = await StalledPush.begin(address(url), {
      folder: work,
      commit: next,
      branch: 'stalled',
    });
    const clone = await SlowClone.begin(address(url), commit);
    const ended = service.kill('SIGTERM');
    await service.says(/SIGTERM: finishing what is under way/);
    await eventually(() => expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed'));
    expect(await isAlive(service.pid)).toBe(true);
    expect(await isAlive(server)).toBe(true);

    const pushed = await push.finish();
    expect(pushed.status).toBe(200);
    expect(pushed.report).toContain('unpack ok');
    expect(pushed.report).toContain('ok refs/heads/stalled');
    const cloned = await clone.finish();
    expect(cloned.whole).toBe(true);
    expect(cloned.size).toBeGreaterThan(24 * 1024 * 1024);

    expect(await ended).toEqual(STOPPED);
    expect(await isAlive(server)).toBe(false);
    expect(existsSync(path.join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false);
    expect(existsSync(path.join(dataDir, 'trellis.pid'))).toBe(false);
  });

  it('serves after a restart with the last push', async () => {
    const service = start();
    const url = await service.url();
    await request(url).get('/readyz').expect(200);
    const project = encodeURIComponent('root/kept');
    const branches = await api(url, 'get', `/projects/${project}/repository/branches`).expect(200);
    const names = (branches.body as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(['master', 'stalled']);
    expect(await service.kill('SIGINT')).toEqual(STOPPED);
  });
});
