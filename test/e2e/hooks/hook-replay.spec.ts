/** @operation */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DeliveryLogService } from '../../../src/modules/hooks/index.js';
import { type ReplayOptions, toReplayRange } from '../../../src/cli/commands/replay.js';
import { runCommand } from '../../support/commands.js';
import { HookDeliveries } from '../../support/hook-deliveries.js';
import { Receiver } from '../../support/receiver.js';
import { ServiceProcess } from '../../support/service-process.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

jest.setTimeout(180_000);

/** What a replay says, and how it ended. */
async function replayed(env: Record<string, string>, ...args: string[]) {
  const { code, output, notes } = await runCommand(['replay', ...args], env);
  return { code, said: `${notes}${output}` };
}

describe('A replay', () => {
  let trellis: Trellis;
  let hooks: HookDeliveries;
  let receiver: Receiver;

  beforeAll(async () => {
    const settings = { WEBHOOK_RETRY_SECONDS: '3600' };
    trellis = await Trellis.shared({ runsJobs: true, settings });
    hooks = new HookDeliveries(trellis);
  });
  beforeEach(async () => {
    receiver = await Receiver.start();
  });
  afterEach(() => receiver.stop());
  afterAll(() => trellis.restore());

  /** What the command does once it has read its arguments; returns the number of deliveries. */
  const replay = (options: ReplayOptions) =>
    trellis.app.get(DeliveryLogService).replay(toReplayRange(options, new Date()));
  /** A delivery of some hours ago whose attempts had the given result. */
  const attempted = async (hook: number, state: string, hours: number): Promise<string> => {
    const id = await hooks.queue(hook);
    await hooks.ended(id);
    await trellis.rows(
      `UPDATE hook_deliveries SET state = $2, created_at = now() - $3 * interval '1 hour'
        WHERE id = $1`,
      [id, state, hours],
    );
    return id;
  };
  const ids = async (...deliveries: string[]) => {
    const rows = await trellis.rows<{ message_id: string }>(
      'SELECT message_id FROM hook_deliveries WHERE id = ANY($1) ORDER BY id',
      [deliveries],
    );
    return rows.map(({ message_id: id }) => id).sort();
  };
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  /** The ids of what the receiver gets besides what it had. */
  const sentAgain = async (had: number, count: number) => {
    const all = await receiver.received(had + count);
    return all
      .slice(had)
      .map(({ headers }) => headers['webhook-id'])
      .sort();
  };

  it('resends the failed deliveries of a period, with the same ids', async () => {
    const hook = await hooks.hook(receiver.url);
    const early = await attempted(hook, 'failed', 9);
    const failed = await attempted(hook, 'failed', 5);
    const waiting = await attempted(hook, 'pending', 4);
    const delivered = await attempted(hook, 'delivered', 3);
    const late = await attempted(hook, 'failed', 1);
    const { code, said } = await replayed(
      trellis.sharedEnvironment,
      '--from',
      hoursAgo(8),
      '--to',
      hoursAgo(2),
    );
    expect({ code, said }).toEqual({
      code: 0,
      said: expect.stringContaining('2 deliveries are on their way once more.') as string,
    });
    expect(await sentAgain(5, 2)).toEqual(await ids(failed, waiting));
    await hooks.ended(failed);
    await hooks.ended(waiting);
    const states = 'SELECT id, state FROM hook_deliveries WHERE id = ANY($1) ORDER BY id';
    expect(await trellis.rows(states, [[early, delivered, late]])).toEqual([
      { id: early, state: 'failed' },
      { id: delivered, state: 'delivered' },
      { id: late, state: 'failed' },
    ]);
    expect(receiver.deliveries).toHaveLength(7);
  });

  it('sends to a single hook, and on request also successful deliveries', async () => {
    const hook = await hooks.hook(receiver.url);
    const other = await hooks.hook(receiver.url);
    const delivered = await attempted(hook, 'delivered', 20);
    await attempted(other, 'delivered', 20);
    const range = { from: hoursAgo(21), to: hoursAgo(19) };
    expect(await replay(range)).toBe(0);
    expect(await replay({ ...range, delivered: true, hook: String(hook) })).toBe(1);
    expect(await sentAgain(2, 1)).toEqual(await ids(delivered));
  });

  it('enables disabled hooks, except those whose receivers responded 410', async () => {
    const given = await hooks.hook(receiver.url);
    const gone = await hooks.hook(receiver.url);
    const failed = await attempted(given, 'failed', 30);
    await attempted(gone, 'failed', 30);
    for (const [id, reason] of [
      [given, 'failing'],
      [gone, 'gone'],
    ]) {
      await trellis.rows(
        'UPDATE hooks SET disabled_at = now(), disabled_reason = $2 WHERE id = $1',
        [id, reason],
      );
    }
    expect(await replay({ from: hoursAgo(31), to: hoursAgo(29) })).toBe(1);
    expect(await sentAgain(2, 1)).toEqual(await ids(failed));
    expect(await hooks.ended(failed)).toMatchObject({ disabled_reason: null });
    const reasons = 'SELECT disabled_reason AS reason FROM hooks WHERE id = $1';
    expect(await trellis.rows(reasons, [gone])).toEqual([{ reason: 'gone' }]);
    const entries = `SELECT target_id FROM audit_events WHERE action = 'hook.enabled'`;
    expect(await trellis.rows(entries)).toEqual([{ target_id: given }]);
  });

  it('processes more deliveries than fit in one batch', async () => {
    const hook = await hooks.hook(receiver.url);
    const log = trellis.app.get(DeliveryLogService);
    expect(log.replayedAtOnce).toBe(1_000);
    await trellis.rows(
      `WITH event AS (
         INSERT INTO hook_events (kind, facts) VALUES ('issue', '{}') RETURNING id)
       INSERT INTO hook_deliveries (hook_id, event_id, kind, message_id, state, created_at)
       SELECT $1, event.id, 'issue', 'msg_' || number, 'failed', '2020-01-01'
         FROM event, generate_series(1, 11) AS number`,
      [hook],
    );
    Object.assign(log, { replayedAtOnce: 5 });
    const replaying = replay({ from: '2019-12-31', to: '2020-01-02' });
    expect(await replaying.finally(() => Object.assign(log, { replayedAtOnce: 1_000 }))).toBe(11);
    const sent = await receiver.received(11);
    expect(new Set(sent.map(({ headers }) => headers['webhook-id'])).size).toBe(11);
    await until(async () => (await trellis.rows('SELECT FROM outbox')).length === 0);
    expect(receiver.deliveries).toHaveLength(11);
  });

  it('reports invalid requests and changes nothing', async () => {
    const unclear = await replayed({}, '--from', 'yesterday');
    expect(unclear.code).toBe(2);
    expect(unclear.said).toContain('--from takes a time such as 2030-01-31T08:00:00Z');
    const nowhere = await mkdtemp(path.join(tmpdir(), 'trellis-e2e-'));
    const idle = await replayed({ DATA_DIR: nowhere }, '--from', '2020-01-01');
    await rm(nowhere, { recursive: true });
    expect(idle.code).toBe(1);
    expect(idle.said).toContain(`There is no service in ${nowhere}`);
  });
});

describe('A replay beside a service with a database of its own', () => {
  it('works while the service runs', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'trellis-e2e-'));
    const env = {
      DATA_DIR: folder,
      ROOT_TOKEN: 'token-of-the-replay',
      WEBHOOK_ALLOW_LOCAL: 'true',
    };
    const service = ServiceProcess.start('all', { ...env, WEBHOOK_RETRY_SECONDS: '3600' });
    let refuses = true;
    const receiver = await Receiver.start((response) =>
      response.writeHead(refuses ? 500 : 200).end(),
    );
    try {
      const url = await service.url();
      const call = (method: string, of: string, body?: object) =>
        fetch(`${url}/api/v3/${of}`, {
          method,
          headers: {
            'PRIVATE-TOKEN': 'token-of-the-replay',
            'Content-Type': 'application/json',
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }).then((response) => response.json() as Promise<{ id: number }>);
      const { id } = await call('POST', 'hooks', { url: receiver.url });
      await call('GET', `hooks/${String(id)}`);
      await receiver.received(1);
      const attempts = async () => {
        const list = await call('GET', `hooks/${String(id)}/deliveries`);
        return (list as unknown as { attempts: number }[])[0]?.attempts === 1;
      };
      await until(attempts);
      refuses = false;
      const { said, code } = await replayed({ DATA_DIR: folder }, '--from', '2020-01-01');
      expect({ code, said }).toEqual({
        code: 0,
        said: expect.stringContaining('1 deliveries are on their way') as string,
      });
      const [first, second] = await receiver.received(2);
      expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    } finally {
      await service.kill('SIGTERM');
      await receiver.stop();
      await rm(folder, { recursive: true });
    }
  });
});
