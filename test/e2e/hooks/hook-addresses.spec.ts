import { HookDeliveries } from '../../support/hook-deliveries.js';
import { Receiver } from '../../support/receiver.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const REFUSED = [
  '127.0.0.1',
  'localhost',
  'any.localhost',
  '0.0.0.0',
  '2130706433',
  '0x7f.1',
  '0177.0.0.1',
  '127.1',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '[fe80::1]',
  '[fd00::1]',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '100.64.0.1',
  '169.254.169.254',
  '168.63.129.16',
  // Nobody's, outside of 2000::/3.
  '[1::1]',
  '[4000::1]',
  '[c000::1]',
  '224.0.0.1',
  '１２７.0.0.1',
];

describe('Addresses of the machine and of private networks', () => {
  let trellis: Trellis;
  let hooks: HookDeliveries;
  let receiver: Receiver;

  beforeAll(async () => {
    trellis = await Trellis.shared({ runsJobs: true, settings: { WEBHOOK_ALLOW_LOCAL: 'false' } });
    hooks = new HookDeliveries(trellis);
    receiver = await Receiver.start();
  });
  afterAll(async () => {
    await receiver.stop();
    await trellis.restore();
  });

  it.each(REFUSED)('are refused without a retry: %s', async (host) => {
    const url = `http://${host}:${String(receiver.port)}/`;
    const logged = await hooks.ended(await hooks.queue(await hooks.hook(url)));
    expect(logged).toMatchObject({ state: 'failed', attempts: 1, cause: 'refused' });
    expect(receiver.deliveries).toEqual([]);
  });
});
