/**
 * @campaign storage
 * @needs bindfs fusermount
 */
import { BoundFolder } from '../../support/bound-folder.js';
import type { Person } from '../../support/factories.js';
import { lengthOf } from '../../support/lengths.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

jest.setTimeout(lengthOf({ brief: 300_000, campaign: 600_000 }));

const ROUNDS = lengthOf({ brief: 1, campaign: 10 });
const CROWD = 12;
const LOOK_MS = 10_000;
/** Within which everything else has to be answered meanwhile, on a busy machine: sooner than what waits for the storage. */
const PROMPT_MS = 8_000;

describe('a storage that hangs', () => {
  let hanging: BoundFolder;
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let near: PushedProject;
  let far: PushedProject;

  beforeAll(async () => {
    hanging = await BoundFolder.mount();
    const env = { REPOSITORY_STORAGES: `far=${hanging.folder}` };
    trellis = await Trellis.start({
      because: 'git limits',
      env,
      gitLimits: { lookTimeoutMs: LOOK_MS },
    });
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

  /** Runs a request that must not wait for the storage, or for nothing but its time limit. */
  async function promptly<T>(request: () => Promise<T>, limitMs = PROMPT_MS): Promise<T> {
    const begin = performance.now();
    const answer = await request();
    expect(performance.now() - begin).toBeLessThan(limitMs);
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

  it('is reported, refused within the time limit, and blocks nothing else', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      expect(await commits(far)).toBe(200);
      hanging.stop();
      const crowd = Array.from({ length: CROWD }, () => commits(far));
      await expectOthersServed();
      expect(await health('readyz')).toEqual([
        503,
        {
          ...{ status: 'unavailable', failing: ['storage'], storages: ['far'] },
          reasons: { far: 'it does not answer' },
        },
      ]);
      // Those that came in time for what was read less than a second before are answered by it.
      for (const status of await Promise.all(crowd)) expect([200, 503]).toContain(status);
      expect(await promptly(() => commits(far), LOOK_MS + PROMPT_MS)).toBe(503);
      await expectOthersServed();
      hanging.resume();
      await until(async () => (await commits(far)) === 200);
      // With a warning of the jobs, which nobody runs here.
      expect(await trellis.untilReady()).toMatchObject({ status: 'ok' });
    }
  });
});
