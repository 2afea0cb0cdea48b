import { HookDeliveries } from '../../support/hook-deliveries.js';
import { ownQueues } from '../../support/own-queues.js';
import { Receiver } from '../../support/receiver.js';
import { ServiceProcess } from '../../support/service-process.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

jest.setTimeout(120_000);

const FLOOD = 5_000;

describe('Workers that share the deliveries', () => {
  let trellis: Trellis;
  let hooks: HookDeliveries;
  let worker: ServiceProcess;
  let slow: Receiver;
  let fast: Receiver;

  beforeAll(async () => {
    const env = { WEBHOOK_ALLOW_LOCAL: 'true', ...(await ownQueues()) };
    trellis = await Trellis.start({ because: 'another process', runsJobs: true, env });
    hooks = new HookDeliveries(trellis);
    // Slow, but not so slow that deliveries which find no slot are put off at once.
    slow = await Receiver.start((response) => {
      setTimeout(() => response.end(), 50);
    });
    fast = await Receiver.start();
    worker = ServiceProcess.start('worker', {
      ...{ ...trellis.sharedEnvironment, ...env, LOG_LEVEL: 'debug' },
    });
    await worker.says(/The worker is running/);
  });
  afterAll(async () => {
    await worker.kill('SIGTERM');
    await trellis.stop();
    await slow.stop();
    await fast.stop();
  });

  const projectHook = async (url: string): Promise<number> => {
    const owner = await trellis.factories.user();
    const { id: projectId } = await trellis.factories.project(owner);
    return hooks.hook(url, { projectId });
  };

  it('make each delivery once', async () => {
    const received = fast.deliveries.length;
    const count = 200;
    await hooks.queue(await projectHook(fast.url), {}, count);
    await until(async () => (await trellis.rows('SELECT FROM outbox')).length === 0);
    const ids = fast.deliveries.slice(received).map(({ headers }) => headers['webhook-id']);
    expect(ids).toHaveLength(count);
    expect(new Set(ids).size).toBe(count);
    const further = await projectHook(fast.url);
    while (!worker.output.includes('A job has succeeded')) {
      await hooks.queue(further, {}, 20);
      await until(async () => (await trellis.rows('SELECT FROM outbox')).length === 0);
    }
  });

  it('make a delivery of another project during a flood', async () => {
    const received = fast.deliveries.length;
    const flooded = await projectHook(slow.url);
    const other = await projectHook(fast.url);
    await hooks.queue(flooded, {}, FLOOD);
    await slow.received(64);
    await hooks.queue(other);
    await fast.received(received + 1);
    const [row] = await trellis.rows<{ untouched: number }>(
      'SELECT count(*)::int AS untouched FROM hook_deliveries WHERE hook_id = $1 AND turn = 0',
      [flooded],
    );
    expect(row?.untouched).toBeGreaterThan(FLOOD / 3);
  });
});
