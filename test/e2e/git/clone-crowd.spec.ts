import { once } from 'node:events';
import type { Client, ClientChannel } from 'ssh2';
import type { MadeProject, Person } from '../../support/factories.js';
import { withoutPasswordSlots } from '../../support/password-slots.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { sendToGit } from '../../support/raw-push.js';
import { beginCommand, SshPerson } from '../../support/ssh-person.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';
import { withWait } from '../../support/with-wait.js';
import { PasswordThrottle } from '../../../src/modules/users/index.js';
import { TransportSlots } from '../../../src/modules/git-access/transport-slots.js';
import { FLUSH_PACKET, pktLine, type PackSlot } from '../../../src/git/index.js';
import { Deferred } from '../../../src/platform/async/index.js';
import { AccessRecheck, GIT_CONVERSATIONS } from '../../../src/platform/limits/index.js';
import { tryGit } from '../../unit/git/support/workshop.js';

jest.setTimeout(120_000);

const PUBLIC = 20;
const REPORTER = 20;
const INTERNAL = 10;
const METRICS_TOKEN = 'token-of-the-metrics';
const REASON = /Too many clones and fetches are under way\. Try again in \d+ seconds\./;

/** A fetch over SSH whose packets a test sends and reads itself. */
class FetchConversation {
  /** Since the last time that it was read. */
  received = '';

  constructor(private readonly channel: ClientChannel) {
    channel.on('data', (chunk: Buffer) => (this.received += chunk.toString('latin1')));
  }

  say(...packets: (Buffer | string)[]): void {
    this.channel.write(Buffer.concat(packets.map((packet) => Buffer.from(packet))));
  }

  /** Takes what has been received since the last time, once it matches. */
  async readUntil(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.received)) await once(this.channel, 'data');
    const text = this.received;
    this.received = '';
    return text;
  }
}

describe('More clones than slots', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let ssh: SshPerson;

  beforeAll(async () => {
    trellis = await Trellis.start({
      because: 'git limits',
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

  /** Begins a fetch from an address, which takes its slot and keeps it until it is ended. */
  function occupySlot(address: string) {
    const gone = new AbortController();
    const left = once(gone.signal, 'abort');
    const taken = new Deferred<PackSlot>();
    const slots = trellis.app.get(TransportSlots);
    const access = new AccessRecheck(() => Promise.resolve());
    const ended = slots.holdForFetch({ address }, gone.signal, access, async (slot) => {
      await slot.take();
      taken.resolve(slot);
      await left;
    });
    return { gone, taken: taken.promise, ended };
  }

  /** Clients at addresses of their own: they hold all slots, and fill the line. Returns the function that ends them. */
  function fillSlots(): () => Promise<unknown> {
    const { total, waiting } = GIT_CONVERSATIONS;
    const clients = Array.from({ length: total + waiting }, (_, index) =>
      occupySlot(`10.0.${String(index >> 8)}.${String(index & 255)}`),
    );
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

  /** Another client's fetch that has its slot. */
  async function otherFetch(
    address = '10.0.0.1',
  ): Promise<{ slot: PackSlot; end: () => Promise<void> }> {
    const { gone, taken, ended } = occupySlot(address);
    const slot = await taken;
    const end = async (): Promise<void> => {
      gone.abort();
      await ended;
    };
    return { slot, end };
  }

  const isWaiting = async (): Promise<boolean> =>
    /trellis_git_fetches\{state="waiting"\} 1/.test(await figures());

  /** Clones that go through the service in another way each. */
  const clones = {
    'over HTTP': (project: MadeProject, folder: string) => {
      const address = new URL(`${trellis.url}/${project.fullPath}.git`);
      Object.assign(address, { username: owner.user.username, password: owner.token });
      return ssh.git(['clone', '-q', address.href, folder]);
    },
    'over SSH in version 0': (project: MadeProject, folder: string) =>
      ssh.git(['-c', 'protocol.version=0', 'clone', '-q', ssh.url(project), folder]),
    'over SSH in version 2': (project: MadeProject, folder: string) =>
      ssh.git(['-c', 'protocol.version=2', 'clone', '-q', ssh.url(project), folder]),
  };

  it.each(Object.entries(clones))(
    'wait for slots of packs in preparation, not of packs in transfer: %s',
    async (way, cloneTo) => {
      const { project, head } = await projects.make({ visibilityLevel: PUBLIC });
      const folder = way.replaceAll(' ', '-');
      const other = await otherFetch();
      const clone = cloneTo(project, folder);
      await until(isWaiting);
      other.slot.giveBack();
      expect((await clone).code).toBe(0);
      expect(await figures()).toMatch(/trellis_git_fetches\{state="preparing"\} 0/);
      const cloned = await ssh.git(['-C', folder, 'rev-parse', 'HEAD']);
      expect(cloned.stdout.trim()).toBe(head);
      await other.end();
    },
  );

  it.each(Object.entries(clones))(
    'return an error when the caller has lost membership while waiting: %s',
    async (way, cloneTo) => {
      const other = await trellis.factories.user({ projectsLimit: 10 });
      const theirs = new PushedProjects(trellis, other);
      const { project } = await theirs.make();
      await trellis.factories.addToProject(project, owner, REPORTER);
      const busy = await otherFetch();
      const clone = cloneTo(project, `removed-${way.replaceAll(' ', '-')}`);
      await until(isWaiting);
      const waits = performance.now();
      const member = `/projects/${String(project.id)}/members/${String(owner.user.id)}`;
      expect((await trellis.as(other).delete(member)).status).toBe(200);
      // A judgement counts for a moment.
      await until(() => Promise.resolve(performance.now() - waits > 200));
      busy.slot.giveBack();
      const { code, stderr } = await clone;
      expect(code).not.toBe(0);
      expect(stderr).toMatch(/404|could not be found/);
      await busy.end();
      await theirs.remove();
    },
  );

  it('succeed when twenty users start at once from one address, with passwords', async () => {
    const { project, head } = await projects.make({ visibilityLevel: INTERNAL });
    const people = await Promise.all(Array.from({ length: 20 }, () => trellis.factories.user()));
    const want = pktLine(`want ${head} no-progress\n`);
    const body = Buffer.concat([want, FLUSH_PACKET, pktLine('done\n')]);
    const fetchAs = ({ user, password: token }: Pick<Person, 'user' | 'password'>) =>
      sendToGit(trellis, { service: 'git-upload-pack', project, person: { user, token } }, body);
    const attempts = jest.spyOn(trellis.app.get(PasswordThrottle), 'forBasicAuthentication');
    const fetches = await withoutPasswordSlots(trellis, async () => {
      const all = [people, people, people].flat();
      const begun = Promise.all(all.map(fetchAs));
      await until(() => Promise.resolve(attempts.mock.calls.length === 60));
      return { begun };
    });
    for (const fetched of await fetches.begun) expect(fetched).toContain('PACK');
  });

  /** Begins a fetch, and waits for the refs or capabilities with which git begins. */
  async function beginFetch(
    client: Client,
    project: MadeProject,
    version: string,
  ): Promise<FetchConversation> {
    const command = `git-upload-pack '${project.fullPath}.git'`;
    const env = { GIT_PROTOCOL: `version=${version}` };
    const conversation = new FetchConversation(await beginCommand(client, command, env));
    await conversation.readUntil(/0000$/);
    return conversation;
  }

  it('do not wait for SSH clients that have not sent their request', async () => {
    const { project, head } = await projects.make({ visibilityLevel: PUBLIC });
    const client = await ssh.connect();
    const want = pktLine(`want ${head} multi_ack_detailed no-done side-band-64k\n`);
    const have = pktLine(`have ${head}\n`);
    const negotiating = await beginFetch(client, project, '1');
    negotiating.say(want, FLUSH_PACKET, have, FLUSH_PACKET);
    await negotiating.readUntil(new RegExp(`ACK ${head} `));
    const listing = await beginFetch(client, project, '2');
    listing.say(pktLine('command=ls-refs\n'), FLUSH_PACKET);
    expect(await listing.readUntil(/0000$/)).toContain(head);
    const silent = await beginFetch(client, project, '2');
    silent.say(pktLine('command=fetch\n'), '0001', pktLine('done\n'), FLUSH_PACKET);
    // Git has no answer to that, and reads on.
    silent.say(pktLine('command=ls-refs\n'), FLUSH_PACKET);
    expect(await silent.readUntil(/0000$/)).toContain(head);

    for (const [way, cloneTo] of Object.entries(clones)) {
      const cloned = await cloneTo(project, `beside-${way.replaceAll(' ', '-')}`);
      expect({ way, ...cloned }).toMatchObject({ way, code: 0 });
    }

    expect(negotiating.received).not.toContain('PACK');
    negotiating.say(pktLine('done\n'));
    await negotiating.readUntil(/PACK/);
    client.end();
    await once(client, 'close');
  });

  it.each(['0', '2'])(
    'may be shallow, and unshallowed later, over SSH in version %s',
    async (version) => {
      const { project } = await projects.make({ visibilityLevel: PUBLIC });
      const first = `shallow-${version}`;
      const git = (...args: string[]) => ssh.git(['-c', `protocol.version=${version}`, ...args]);
      const pushed = await git('clone', '-q', ssh.url(project), first);
      expect(pushed.code).toBe(0);
      const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
      for (const message of ['second', 'third']) {
        await git('-C', first, ...author, 'commit', '-q', '--allow-empty', '-m', message);
      }
      expect((await git('-C', first, 'push', '-q')).code).toBe(0);
      const count = async () => {
        const { stdout } = await git('-C', `${first}-cut`, 'rev-list', '--count', 'HEAD');
        return Number(stdout);
      };
      const cut = await git('clone', '-q', '--depth=2', ssh.url(project), `${first}-cut`);
      expect(cut.code).toBe(0);
      expect(await count()).toBe(2);
      expect((await git('-C', `${first}-cut`, 'fetch', '-q', '--unshallow')).code).toBe(0);
      expect(await count()).toBe(3);
    },
  );

  it('wait for running SSH requests, not for idle conversations', async () => {
    const { project, head } = await projects.make({ visibilityLevel: PUBLIC });
    const client = await ssh.connect();
    const conversation = await beginFetch(client, project, '2');
    const begin = [pktLine('command=fetch\n'), '0001', pktLine(`want ${head}\n`)];
    conversation.say(...begin, pktLine(`have ${'1'.repeat(40)}\n`), FLUSH_PACKET);
    expect(await conversation.readUntil(/0000$/)).toContain('NAK');
    const clone = await clones['over HTTP'](project, 'after-an-answer');
    expect(clone.code).toBe(0);

    const other = await otherFetch();
    conversation.say(...begin, pktLine('done\n'), FLUSH_PACKET);
    await until(isWaiting);
    other.slot.giveBack();
    expect(await conversation.readUntil(/0000$/)).toContain('PACK');
    await other.end();
    client.end();
    await once(client, 'close');
  });

  it('are refused with the reason over SSH, after git has started', async () => {
    const { project } = await projects.make({ visibilityLevel: PUBLIC });
    const another = await otherFetch('127.0.0.1');
    const slots = trellis.app.get(TransportSlots);
    const refused = await withWait(slots.preparationLimits, 100, () =>
      clones['over SSH in version 2'](project, 'refused-over-ssh'),
    );
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toMatch(REASON);
    // So are those that would come after it from the same address, here for longer than the second of that refusal.
    const refusedUntil = Reflect.get(slots, 'refusedUntil') as Map<string, number>;
    expect(refusedUntil.get('127.0.0.1')).toBeGreaterThan(0);
    refusedUntil.set('127.0.0.1', performance.now() + 60_000);
    const next = await clones['over HTTP'](project, 'refused-over-http');
    expect(next.stderr).toMatch(REASON);
    await another.end();
    expect((await clones['over HTTP'](project, 'served-over-http')).code).toBe(0);
  });

  it('are refused with the reason and Retry-After, and served later', async () => {
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
