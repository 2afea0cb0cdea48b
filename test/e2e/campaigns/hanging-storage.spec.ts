/**
 * @campaign storage
 * @needs bindfs fusermount
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Person } from '../../support/factories.js';
import { lengthOf } from '../../support/lengths.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

jest.setTimeout(300_000);

const ROUNDS = lengthOf({ brief: 1, campaign: 10 });
const CROWD = 12;
const LOOK_MS = 1_000;
/** Within which everything else has to be answered meanwhile, on a busy machine. */
const PROMPT_MS = 2_000;

/** A folder behind a file system of a process: while that is stopped, whatever asks for its files hangs. */
class HangingFolder {
  private constructor(
    readonly folder: string,
    private readonly base: string,
    private readonly server: ChildProcess,
  ) {}

  static async mount(): Promise<HangingFolder> {
    const base = await mkdtemp(path.join(tmpdir(), 'trellis-hanging-'));
    const [source, folder] = [path.join(base, 'source'), path.join(base, 'mounted')];
    await mkdir(source);
    await mkdir(folder);
    const server = spawn('bindfs', ['-f', source, folder], { stdio: 'ignore' });
    const { dev } = await stat(base);
    await until(async () => {
      if (server.exitCode !== null) throw new Error('bindfs cannot mount here');
      return (await stat(folder)).dev !== dev;
    });
    return new HangingFolder(folder, base, server);
  }

  stop(): void {
    this.server.kill('SIGSTOP');
  }

  resume(): void {
    this.server.kill('SIGCONT');
  }

  async unmount(): Promise<void> {
    this.resume();
    const ended = new Promise((resolve) => this.server.once('close', resolve));
    await promisify(execFile)('fusermount', ['-u', this.folder]);
    await ended;
    await rm(this.base, { recursive: true });
  }
}

describe('a storage that hangs', () => {
  let hanging: HangingFolder;
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let near: PushedProject;
  let far: PushedProject;

  beforeAll(async () => {
    hanging = await HangingFolder.mount();
    const env = { REPOSITORY_STORAGES: `far=${hanging.folder}` };
    trellis = await Trellis.start({ env, gitLimits: { lookTimeoutMs: LOOK_MS } });
    owner = await trellis.factories.user();
    const admin = await trellis.factories.admin();
    projects = new PushedProjects(trellis, owner);
    const settings = { repository_storages: ['far'] };
    near = await projects.make();
    await trellis.as(admin).put('/application/settings', settings).expect(200);
    far = await projects.make();
  });
  afterAll(async () => {
    hanging.resume();
    await projects.remove();
    await trellis.stop();
    await hanging.unmount();
  });

  const commits = async ({ project }: PushedProject): Promise<number> => {
    const url = `/projects/${String(project.id)}/repository/commits`;
    return (await trellis.as(owner).get(url)).status;
  };
  const health = async (name: string) => {
    const response = await fetch(`${trellis.url}/${name}`);
    return [response.status, await response.json()] as const;
  };

  /** Runs a request that must not wait for the storage. */
  async function promptly<T>(request: () => Promise<T>): Promise<T> {
    const begin = performance.now();
    const answer = await request();
    expect(performance.now() - begin).toBeLessThan(PROMPT_MS);
    return answer;
  }

  async function expectOthersServed(): Promise<void> {
    expect(await promptly(() => health('healthz'))).toEqual([200, { status: 'ok' }]);
    expect(await promptly(() => commits(near))).toBe(200);
    const { user, password } = owner;
    // Passwords are hashed by the same threads that files are read by.
    await promptly(() => trellis.anonymous.post('/session', { login: user.username, password }));
    expect((await promptly(() => near.work.push('HEAD:refs/heads/copy'))).code).toBe(0);
    expect((await near.work.push(':refs/heads/copy')).code).toBe(0);
  }

  it('is named, refused within the time limit, and holds up nothing else', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      expect(await commits(far)).toBe(200);
      hanging.stop();
      const crowd = Array.from({ length: CROWD }, () => commits(far));
      await expectOthersServed();
      expect(await health('readyz')).toEqual([
        503,
        { status: 'unavailable', failing: ['storage'], storages: ['far'] },
      ]);
      // Those that came in time for what was read less than a second before are answered by it.
      for (const status of await Promise.all(crowd)) expect([200, 503]).toContain(status);
      expect(await promptly(() => commits(far))).toBe(503);
      await expectOthersServed();
      hanging.resume();
      await until(async () => (await commits(far)) === 200);
      expect(await health('readyz')).toEqual([200, { status: 'ok' }]);
    }
  });
});
