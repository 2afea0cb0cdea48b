import type { Person } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { SshPerson } from '../../support/ssh-person.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';
import { TransportSlots } from '../../../src/modules/transport/transport-slots.js';
import { GIT_CONVERSATIONS } from '../../../src/platform/limits/index.js';
import { tryGit } from '../../unit/git/support/workshop.js';

jest.setTimeout(120_000);

const PUBLIC = 20;
const METRICS_TOKEN = 'token-of-the-metrics';
const REASON = /Too many clones and fetches are under way\. Try again in \d+ seconds\./;

describe('More clones than can be served', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let ssh: SshPerson;

  beforeAll(async () => {
    trellis = await Trellis.start({
      servesSsh: true,
      env: { GIT_FETCHES_PREPARED: '1', METRICS_TOKEN },
    });
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
    ssh = await SshPerson.create(trellis, owner);
  });
  afterAll(async () => {
    await ssh.remove();
    await projects.remove();
    await trellis.stop();
  });

  /** Clients at addresses of their own: they hold all slots, and fill the line. Returns the function that ends them. */
  function fillSlots(): () => Promise<unknown> {
    const { total, waiting } = GIT_CONVERSATIONS;
    const slots = trellis.app.get(TransportSlots);
    const clients = Array.from({ length: total + waiting }, (_, index) => {
      const address = `10.0.${String(index >> 8)}.${String(index & 255)}`;
      const gone = new AbortController();
      const left = new Promise<void>((resolve) => {
        gone.signal.addEventListener('abort', () => resolve());
      });
      return { gone, ended: slots.holdForFetch({ address }, gone.signal, () => left) };
    });
    return () => {
      for (const { gone } of clients) gone.abort();
      return Promise.allSettled(clients.map(({ ended }) => ended));
    };
  }

  const figures = async (): Promise<string> =>
    (
      await fetch(`${trellis.url}/metrics`, {
        headers: { Authorization: `Bearer ${METRICS_TOKEN}` },
      })
    ).text();

  it('wait for the one whose pack is put together, not for those that are sent theirs', async () => {
    const { project } = await projects.make({ visibilityLevel: PUBLIC });
    const slots = trellis.app.get(TransportSlots);
    const gone = new AbortController();
    let beginPack = (): void => undefined;
    const isSent = new Promise<void>((resolve) =>
      gone.signal.addEventListener('abort', () => resolve()),
    );
    const other = slots.holdForFetch({ address: '10.0.0.1' }, gone.signal, (onPackBegins) => {
      beginPack = onPackBegins;
      return isSent;
    });
    const address = `${trellis.url}/${project.fullPath}.git`;
    const clone = tryGit(['clone', '-q', address, 'waiting'], { cwd: ssh.folder });
    await until(async () => /trellis_git_fetches\{state="waiting"\} 1/.test(await figures()));
    beginPack();
    expect((await clone).code).toBe(0);
    expect(await figures()).toMatch(/trellis_git_fetches\{state="preparing"\} 0/);
    gone.abort();
    await other;
  });

  it('are refused with the reason and a time to come back, and served afterwards', async () => {
    const { project, head } = await projects.make({ visibilityLevel: PUBLIC });
    const address = `${trellis.url}/${project.fullPath}.git`;
    const clone = (name: string) => tryGit(['clone', '-q', address, name], { cwd: ssh.folder });
    const end = fillSlots();
    const overSsh = await ssh.git(['clone', '-q', ssh.url(project), 'over-ssh']);
    expect(overSsh.stderr).toMatch(REASON);
    const refused = await clone('refused');
    expect(refused.stderr).toMatch(REASON);
    const response = await fetch(`${address}/info/refs?service=git-upload-pack`);
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await response.text()).toMatch(REASON);
    const post = await fetch(`${address}/git-upload-pack`, { method: 'POST', body: '0000' });
    expect(post.status).toBe(429);
    expect(await post.text()).toMatch(REASON);

    await end();
    expect((await clone('served')).code).toBe(0);
    const served = await tryGit(['rev-parse', 'HEAD'], { cwd: `${ssh.folder}/served` });
    expect(served.stdout.trim()).toBe(head);
  });
});
