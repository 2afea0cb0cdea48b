import { Resolver } from 'node:dns/promises';
import { OutboundHosts } from '../../../src/platform/net/index.js';
import { HookDeliveries } from '../../support/hook-deliveries.js';
import { NameServer } from '../../support/name-server.js';
import { Receiver } from '../../support/receiver.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

jest.setTimeout(120_000);

const HOOKS = 100;
const FIRST_ATTEMPTS_AT_ONCE = 32;

describe('A project whose hooks have host names without a DNS answer', () => {
  let trellis: Trellis;
  let server: NameServer;
  let receiver: Receiver;

  beforeAll(async () => {
    trellis = await Trellis.start({
      because: 'state of the instance',
      runsJobs: true,
      env: { WEBHOOK_ALLOW_LOCAL: 'true' },
    });
    server = await NameServer.start({ 'receiver.example': ['127.0.0.1'] });
    receiver = await Receiver.start();
    const createResolver = (): Resolver => {
      const resolver = new Resolver({ timeout: 1_000, tries: 2 });
      resolver.setServers([server.address]);
      return resolver;
    };
    Object.assign(trellis.app.get(OutboundHosts), { createResolver });
  });
  afterAll(async () => {
    await trellis.stop();
    await receiver.stop();
    server.stop();
  });

  it('delays deliveries of other projects by a few seconds at most', async () => {
    const hooks = new HookDeliveries(trellis);
    const owner = await trellis.factories.user();
    const { id: projectId } = await trellis.factories.project(owner);
    const other = await trellis.factories.project(await trellis.factories.user());
    for (let at = 0; at < HOOKS; at += 1) {
      const hook = await hooks.hook(`http://n${String(at)}.silent.example/`, { projectId });
      await hooks.queue(hook);
    }
    await server.hasBeenAsked(FIRST_ATTEMPTS_AT_ONCE);
    const began = performance.now();
    for (const host of ['receiver.example', 'localhost']) {
      const url = `http://${host}:${String(receiver.port)}/`;
      await hooks.queue(await hooks.hook(url, { projectId: other.id }));
    }
    await receiver.received(2);
    expect(performance.now() - began).toBeLessThan(8_000);
    await until(async () => {
      const failed = await trellis.rows(
        `SELECT FROM hook_deliveries WHERE cause = 'dns' AND message = 'The host could not be found'`,
      );
      return failed.length > 0;
    });
  });
});
