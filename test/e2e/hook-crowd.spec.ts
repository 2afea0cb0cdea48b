import { HookDeliveries } from '../support/hook-deliveries.js';
import { Receiver } from '../support/receiver.js';
import { Trellis } from '../support/trellis.js';
import { until } from '../support/until.js';

jest.setTimeout(120_000);

const COUNT = 200;

interface Recorded {
  message_id: string;
  state: string;
  turn: number;
  attempts: number;
  response_status: number;
  response_body: string;
  sent_id: string;
}

describe('Many deliveries at once', () => {
  let trellis: Trellis;
  let hooks: HookDeliveries;
  let receiver: Receiver;

  beforeAll(async () => {
    const env = { WEBHOOK_ALLOW_LOCAL: 'true', WEBHOOK_RETRY_SECONDS: '1' };
    trellis = await Trellis.start({ runsJobs: true, env });
    hooks = new HookDeliveries(trellis);
    // Answers with what the delivery is; refuses every tenth request.
    receiver = await Receiver.start((response, count, { headers }) => {
      response.writeHead(count % 10 === 0 ? 503 : 200).end(headers['webhook-id']);
    });
  });
  afterAll(async () => {
    await receiver.stop();
    await trellis.stop();
  });

  it('are each recorded with their own answer, and those that failed are tried again', async () => {
    const hook = await hooks.hook(receiver.url, { token: 'secret' });
    await hooks.queue(hook, { object_kind: 'issue' }, COUNT);
    await until(async () => (await trellis.rows('SELECT FROM outbox')).length === 0);
    const recorded = await trellis.rows<Recorded>(
      `SELECT *, request_headers ->> 'webhook-id' AS sent_id FROM hook_deliveries`,
    );
    expect(recorded).toHaveLength(COUNT);
    for (const each of recorded) {
      expect(each.response_body).toBe(each.message_id);
      expect(each.sent_id).toBe(each.message_id);
    }
    const delivered = recorded.filter(({ state }) => state === 'delivered');
    expect(delivered.every(({ response_status }) => response_status === 200)).toBe(true);
    const again = recorded.filter(({ attempts }) => attempts === 2);
    expect(again.length).toBeGreaterThanOrEqual(COUNT / 10);
    const requests = recorded.reduce((sum, { attempts }) => sum + attempts, 0);
    expect(receiver.deliveries).toHaveLength(requests);
  });

  it('do nothing when it is not their turn any more', async () => {
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
