import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { GIT_CONVERSATIONS } from '../../../src/platform/limits/index.js';
import type { Person } from '../../support/factories.js';
import type { PushedProject } from '../../support/pushed-projects.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';
import { withWait } from '../../support/with-wait.js';

jest.setTimeout(120_000);

const PUBLIC = 20;
/** As many as one user may have. */
const MINE = GIT_CONVERSATIONS.perUser;
const WAIT_MS = 1_000;

describe('Git conversations of one client', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let open: ClientRequest[];

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
  });
  afterAll(async () => {
    await projects.remove();
  });
  beforeEach(() => {
    open = [];
  });
  afterEach(() => {
    for (const call of open) call.destroy();
  });

  /** Begins a request and leaves its body open. */
  async function begin(
    { project }: PushedProject,
    service: string,
    beginning: string,
    person?: Person,
  ): Promise<ClientRequest> {
    const call = request(`${trellis.url}/${project.fullPath}.git/${service}`, {
      method: 'POST',
      agent: false,
      ...(person ? { auth: `${person.user.username}:${person.token}` } : {}),
    });
    call.on('error', () => undefined);
    open.push(call);
    const sent = once(call, 'socket').then(([socket]) =>
      once(socket as IncomingMessage, 'connect'),
    );
    call.write(beginning);
    await sent;
    return call;
  }

  function pushOf(made: PushedProject, at: number): Promise<ClientRequest> {
    const command = `${'0'.repeat(40)} ${made.head} refs/heads/b${String(at)}\0 report-status`;
    const length = (command.length + 4).toString(16).padStart(4, '0');
    return begin(made, 'git-receive-pack', `${length}${command}0000`, owner);
  }

  it('start no process before the client has sent its request', async () => {
    const made = await projects.make({ visibilityLevel: PUBLIC });
    const before = trellis.git.spawnCount;
    for (let at = 0; at < 80; at += 1) await begin(made, 'git-upload-pack', '0032want ');
    const clone = await projects.checkout(made.project, null);
    await clone.git('clone', '--quiet', clone.remote, 'copy');
    expect(await clone.git('-C', 'copy', 'rev-parse', 'HEAD')).toBe(made.head);
    expect(trellis.git.spawnCount - before).toBeLessThan(20);
  });

  it('are limited, and leave slots to other clients', async () => {
    const made = await projects.make({ visibilityLevel: PUBLIC });
    for (let at = 0; at < MINE; at += 1) {
      const before = trellis.git.spawnCount;
      await pushOf(made, at);
      await until(() => Promise.resolve(trellis.git.spawnCount > before));
    }
    const response = await withWait(GIT_CONVERSATIONS, WAIT_MS, async () => {
      const call = await pushOf(made, MINE);
      const refused = once(call, 'response') as Promise<[IncomingMessage]>;
      const clone = await projects.checkout(made.project, null);
      await clone.git('clone', '--quiet', clone.remote, 'copy');
      return (await refused)[0];
    });
    expect(response.statusCode).toBe(429);
    expect(response.headers['retry-after']).toBe(String(WAIT_MS / 1_000));
    open[0]?.destroy();
    const next = await pushOf(made, MINE + 1);
    const answer = once(next, 'response') as Promise<[IncomingMessage]>;
    next.end();
    const [accepted] = await answer;
    expect(accepted.statusCode).toBe(200);
  });
});
