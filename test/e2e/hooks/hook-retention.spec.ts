import {
  trimDeliveries,
  TrimDeliveriesJob,
} from '../../../src/modules/hooks/deliveries/maintenance.jobs.js';
import { HookDeliveries } from '../../support/hook-deliveries.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(60_000);

describe('The log of deliveries is kept for thirty days', () => {
  let trellis: Trellis;
  let hook: number;
  let hooks: HookDeliveries;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    hooks = new HookDeliveries(trellis);
  });
  beforeEach(async () => {
    await trellis.rows('TRUNCATE outbox, hook_deliveries, hook_events, hooks');
    hook = await hooks.hook('http://example.com/');
  });

  const trim = (signal = new AbortController().signal) =>
    trellis.app.get(TrimDeliveriesJob).handle({}, { jobId: '1', attempt: 1, signal });
  /** As many deliveries of one event that happened so many days ago. */
  const ago = async (days: number, state: string, count = 1): Promise<string> => {
    const id = await hooks.queue(hook, {}, count);
    await trellis.rows(
      `WITH event AS (
         UPDATE hook_events SET created_at = now() - $2 * interval '1 day'
          WHERE id = (SELECT event_id FROM hook_deliveries WHERE id = $1) RETURNING id, created_at)
       UPDATE hook_deliveries SET created_at = event.created_at, state = $3
         FROM event WHERE event_id = event.id`,
      [id, days, state],
    );
    return id;
  };
  const kept = async () => {
    const rows = await trellis.rows<{ id: string }>('SELECT id FROM hook_deliveries ORDER BY id');
    return rows.map(({ id }) => id);
  };
  const events = async () =>
    (await trellis.rows<{ count: number }>('SELECT count(*)::int AS count FROM hook_events'))[0]
      ?.count;

  it('and longer while a delivery is pending', async () => {
    await ago(31, 'delivered');
    await ago(30.1, 'failed');
    const waiting = await ago(90, 'pending');
    const young = await ago(29.9, 'delivered');
    await trim();
    expect(await kept()).toEqual([waiting, young]);
    expect(await events()).toBe(2);
  });

  it('of an event until its last delivery is removed', async () => {
    const first = await ago(40, 'delivered', 2);
    await trellis.rows(`UPDATE hook_deliveries SET state = 'pending' WHERE id = $1`, [first]);
    await trim();
    expect(await kept()).toEqual([first]);
    expect(await events()).toBe(1);
    await trellis.rows(`UPDATE hook_deliveries SET state = 'failed'`);
    await trim();
    expect(await kept()).toEqual([]);
    expect(await events()).toBe(0);
  });

  it('and removed in several batches if needed', async () => {
    await ago(40, 'delivered', 1_001);
    const young = await ago(1, 'failed');
    await trim();
    expect(await kept()).toEqual([young]);
  });

  it('and its removal stops with the worker', async () => {
    const old = await ago(40, 'delivered');
    await trim(AbortSignal.abort());
    expect(await kept()).toEqual([old]);
  });

  it('by an hourly job', () => {
    expect(trimDeliveries.everyMs).toBe(3_600_000);
  });
});
