import { createHmac } from 'node:crypto';
import path from 'node:path';
import { type ChildProcess, spawn } from 'node:child_process';
import type { MadeProject, Person } from './factories.js';
import { HookDeliveries } from './hook-deliveries.js';
import { Trellis } from './trellis.js';
import { until } from './until.js';

const FOLDER = path.resolve('docs', 'examples', 'receivers');

/** A receiver of docs/examples/receivers in a process of its own. */
class ExampleReceiver {
  private output = '';
  private readonly closed: Promise<unknown>;

  private constructor(private readonly child: ChildProcess) {
    this.closed = new Promise((resolve) => child.once('close', resolve));
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (part: string) => (this.output += part));
    }
  }

  static start([program = '', ...args]: readonly string[], token: string): ExampleReceiver {
    const child = spawn(program, args, {
      cwd: FOLDER,
      env: { ...process.env, HOOK_TOKEN: token, PORT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new ExampleReceiver(child);
  }

  /** Its address, once it listens. */
  async url(): Promise<string> {
    const port = await until(() => {
      if (this.child.exitCode !== null) throw new Error(`It has ended:\n${this.output}`);
      return Promise.resolve(/^listening on (\d+)$/m.exec(this.output)?.[1] ?? false);
    });
    return `http://127.0.0.1:${port}/`;
  }

  /** Stops it; returns the events that it says it has handled, which it prints before it answers. */
  async stop(): Promise<string[]> {
    this.child.kill('SIGKILL');
    await this.closed;
    return this.output.split('\n').filter((line) => /^\w+ msg_/.test(line));
  }
}

/** What a receiver of docs/receiving-hooks.md has to do with the deliveries of the service. */
export function describeReceivers(commands: Readonly<Record<string, readonly string[]>>): void {
  let trellis: Trellis;
  let deliveries: HookDeliveries;
  let owner: Person;
  let project: MadeProject;
  let receiver: ExampleReceiver | undefined;

  beforeAll(async () => {
    const settings = { WEBHOOK_RETRY_SECONDS: '3600' };
    trellis = await Trellis.shared({ runsJobs: true, settings });
    deliveries = new HookDeliveries(trellis);
    owner = await trellis.factories.user();
    project = await trellis.factories.project(owner);
    await trellis.as(owner).post(`${at()}/issues`, { title: 'Write a manual' }).expect(200);
  });
  afterAll(() => trellis.restore());
  afterEach(async () => {
    await receiver?.stop();
    receiver = undefined;
  });

  const at = () => `/projects/${String(project.id)}`;

  /** Has the service deliver the newest issue to a hook; returns what the log says once it was answered. */
  async function deliver(url: string, token: string) {
    const settings = { url, token, push_events: false };
    const hook = await trellis.as(owner).post(`${at()}/hooks`, settings).expect(200);
    const path = `${at()}/hooks/${String((hook.body as { id: number }).id)}`;
    const sample = await trellis.as(owner).post(`${path}/test?event=issue`).expect(200);
    const id = String((sample.body as { id: number }).id);
    const redeliver = async () => {
      await trellis.as(owner).post(`${path}/deliveries/${id}/redeliver`).expect(200);
      return deliveries.ended(id);
    };
    return { delivery: await deliveries.attempted(id, 1), redeliver };
  }

  describe.each(Object.entries(commands))('%s', (_, command) => {
    it.each([
      ['a token', 'a token of the hook'],
      ['a key of Standard Webhooks', `whsec_${Buffer.alloc(24, 'key').toString('base64')}`],
    ])('takes what is signed with %s, and handles a repetition once', async (_kind, token) => {
      receiver = ExampleReceiver.start(command, token);
      const { delivery, redeliver } = await deliver(await receiver.url(), token);
      expect(delivery).toMatchObject({ state: 'delivered', response_status: 204 });
      expect(await redeliver()).toMatchObject({ state: 'delivered', attempts: 1 });
      expect(await receiver.stop()).toEqual([`issue ${delivery.message_id}`]);
    });

    it('refuses another token, another body, an old request and one without a signature', async () => {
      receiver = ExampleReceiver.start(command, 'its own token');
      const url = await receiver.url();
      const { delivery } = await deliver(url, 'a wrong token');
      expect(delivery).toMatchObject({ state: 'pending', cause: 'status', response_status: 401 });

      const body = '{"object_kind":"issue"}';
      const send = async (headers: Record<string, string>, text = body) =>
        (await fetch(url, { method: 'POST', headers, body: text })).status;
      const now = Math.floor(Date.now() / 1000);
      expect(await send(signed(body, now), '{"object_kind":"other"}')).toBe(401);
      expect(await send(signed(body, now - 301))).toBe(401);
      expect(await send(signed(body, now + 900))).toBe(401);
      expect(await send({})).toBe(401);
      const { 'webhook-signature': signature, ...rest } = signed(body, now);
      expect(await send(rest)).toBe(401);
      expect(await send({ ...rest, 'webhook-signature': `v1a,x v1, ${signature}` })).toBe(204);
      expect(await receiver.stop()).toEqual(['issue msg_1']);
    });
  });
}

/** The headers of a delivery that was signed with the token of the second test. */
function signed(body: string, timestamp: number) {
  const hmac = createHmac('sha256', 'its own token').update(`msg_1.${String(timestamp)}.${body}`);
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${hmac.digest('base64')}`,
  };
}
