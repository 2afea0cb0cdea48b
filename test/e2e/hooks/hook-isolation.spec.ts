import { HookDeliveries } from '../../support/hook-deliveries.js';
import { Receiver } from '../../support/receiver.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

/** Of the places for first attempts a receiver gets half, of those for later ones a quarter. */
const MOST_AT_ONCE = 16 + 8;

describe('A receiver that does not answer', () => {
  let trellis: Trellis;
  let silent: Receiver;
  let healthy: Receiver;
  let open = 0;
  let most = 0;

  beforeAll(async () => {
    trellis = await Trellis.shared({ runsJobs: true });
    silent = await Receiver.start((response) => {
      open += 1;
      most = Math.max(most, open);
      response.on('close', () => (open -= 1));
    });
    healthy = await Receiver.start();
  });
  afterAll(async () => {
    await silent.stop();
    await healthy.stop();
    await trellis.restore();
  });

  it('occupies only its share of the workers; other deliveries succeed', async () => {
    const hooks = new HookDeliveries(trellis);
    const dead = await hooks.hook(silent.url);
    await hooks.queue(dead, {}, 500);
    await silent.received(8);
    const others = await hooks.hook(healthy.url);
    await hooks.queue(others, {}, 50);
    await healthy.received(50);
    const [{ count } = { count: 0 }] = await trellis.rows<{ count: number }>(
      `SELECT count(*)::int AS count FROM hook_deliveries WHERE hook_id = $1 AND state = 'pending'`,
      [dead],
    );
    expect(count).toBe(500);
    expect(most).toBeLessThanOrEqual(MOST_AT_ONCE);
  });
});

describe('A hook whose last attempt failed', () => {
  let trellis: Trellis;

  beforeAll(async () => {
    trellis = await Trellis.shared();
  });
  afterAll(() => trellis.restore());

  it('is queued for retries until an attempt succeeds', async () => {
    const hooks = new HookDeliveries(trellis);
    const failing = await hooks.hook('http://failing.example.com/');
    const healthy = await hooks.hook('http://healthy.example.com/');
    await trellis.rows('UPDATE hooks SET failing_since = now() WHERE id = $1', [failing]);
    await trellis.factories.user();
    const queued = await trellis.rows(
      `SELECT d.hook_id AS hook, o.queue, o.run_at <= now() AS "isDue"
         FROM outbox o JOIN hook_deliveries d ON d.id = (o.payload ->> 'deliveryId')::bigint
        WHERE d.hook_id = ANY($1) ORDER BY d.hook_id`,
      [[failing, healthy]],
    );
    expect(queued).toEqual([
      { hook: failing, queue: 'hooks-later', isDue: true },
      { hook: healthy, queue: 'hooks', isDue: true },
    ]);
  });
});
