/** @campaign crowds */
import { HookDeliveries } from '../../support/hook-deliveries.js';
import { lengthOf } from '../../support/lengths.js';
import { Receiver } from '../../support/receiver.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

jest.setTimeout(120_000);

const COUNT = lengthOf({ brief: 40, campaign: 200 });

interface Recorded {
  message_id: string;
  state: string;
  turn: number;
  attempts: number;
  response_status: number;
  response_body: string;
  sent_id: string;
}

describe('Many concurrent deliveries', () => {
  let trellis: Trellis;
  let hooks: HookDeliveries;
  let receiver: Receiver;
  const refused = new Set<string>();

  beforeAll(async () => {
    const settings = { WEBHOOK_RETRY_SECONDS: '1' };
    trellis = await Trellis.shared({ runsJobs: true, settings });
    hooks = new HookDeliveries(trellis);
    // Answers with what the delivery is; refuses one of ten the first time.
    receiver = await Receiver.start((response, count, { headers }) => {
      const id = String(headers['webhook-id']);
      const refuses = count % 10 === 0 && !refused.has(id);
      if (refuses) refused.add(id);
      response.writeHead(refuses ? 503 : 200).end(id);
    });
  });
  afterAll(async () => {
    await receiver.stop();
    await trellis.restore();
  });

  it('are each recorded with their own response, and retried after a failure', async () => {
    const hook = await hooks.hook(receiver.url, { token: 'secret' });
    await hooks.queue(hook, { object_kind: 'issue' }, COUNT);
    await until(async () => (await trellis.rows('SELECT FROM outbox')).length === 0);
    const recorded = await trellis.rows<Recorded>(
      `SELECT *, request_headers ->> 'webhook-id' AS sent_id FROM hook_deliveries WHERE hook_id = $1`,
      [hook],
    );
    expect(recorded).toHaveLength(COUNT);
    for (const each of recorded) {
      expect(each.response_body).toBe(each.message_id);
      expect(each.sent_id).toBe(each.message_id);
    }
    expect(
      recorded.map(({ state, response_status: status }) => `${state} ${String(status)}`),
    ).toEqual(Array(COUNT).fill('delivered 200'));
    const again = recorded.filter(({ attempts }) => attempts === 2);
    expect(again.length).toBeGreaterThan(0);
    expect(again.map(({ message_id: id }) => id).sort()).toEqual([...refused].sort());
    expect(receiver.deliveries).toHaveLength(COUNT + refused.size);
  });

  it('ignore outdated jobs of ended deliveries', async () => {
    const hook = await hooks.hook(receiver.url);
    const id = await hooks.queue(hook, {});
    await hooks.ended(id);
    const sent = receiver.deliveries.length;
    await trellis.rows(
      `INSERT INTO outbox (queue, name, payload)
       SELECT 'hooks', 'deliver', jsonb_build_object('deliveryId', $1::text, 'turn', turn)
         FROM generate_series(0, 3) AS turn`,
      [id],
    );
    await until(async () => (await trellis.rows('SELECT FROM outbox')).length === 0);
    expect(receiver.deliveries).toHaveLength(sent);
  });
});
