import { HttpSender } from '../../../src/modules/hooks/deliveries/http-sender.js';
import { runJobsOf } from '../../support/due-jobs.js';
import { HookDeliveries } from '../../support/hook-deliveries.js';
import { Receiver, Receivers } from '../../support/receiver.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

describe('Deliveries that fail', () => {
  let trellis: Trellis;
  let hooks: HookDeliveries;
  const receivers = new Receivers();

  beforeAll(async () => {
    const settings = { WEBHOOK_RETRY_SECONDS: '0.1,0.1,0.1' };
    trellis = await Trellis.shared({ runsJobs: true, settings });
    hooks = new HookDeliveries(trellis);
  });
  afterAll(() => trellis.restore());
  afterEach(() => receivers.stop());

  it('are retried with the same id and the same bytes until they succeed', async () => {
    const receiver = await receivers.start((response, count) =>
      response.writeHead(count < 3 ? 500 : 204).end(),
    );
    const id = await hooks.queue(await hooks.hook(receiver.url, { token: 'secret' }));
    const logged = await hooks.ended(id);
    expect(logged).toMatchObject({ state: 'delivered', attempts: 3, failing: false, waits: null });
    const attempts = await receiver.received(3);
    const ids = attempts.map(({ headers }) => headers['webhook-id']);
    expect(ids).toEqual(Array(3).fill(logged.message_id));
    expect(new Set(attempts.map(({ body }) => body)).size).toBe(1);
  });

  it('end as failed after the last retry', async () => {
    const receiver = await receivers.start(503);
    const logged = await hooks.ended(await hooks.queue(await hooks.hook(receiver.url)));
    expect(logged).toMatchObject({ state: 'failed', attempts: 4, cause: 'status', failing: true });
    expect(logged.message).toBe('The receiver answered 503');
    expect(logged.disabled_reason).toBeNull();
    expect(receiver.deliveries).toHaveLength(4);
    // The job ends after its last attempt is logged.
    await runJobsOf(trellis, 'hooks');
  });

  it.each([
    ['seconds', () => '3600', 3_600],
    ['a date', () => new Date(Date.now() + 7_200_000).toUTCString(), 7_200],
    ['more than a day', () => '900000', 86_400],
  ])('wait for the Retry-After of the receiver, given as %s', async (_, header, seconds) => {
    const receiver = await receivers.start((response) =>
      response.writeHead(429, { 'Retry-After': header() }).end(),
    );
    const id = await hooks.queue(await hooks.hook(receiver.url));
    const { waits, state } = await hooks.attempted(id, 1);
    expect(state).toBe('pending');
    expect(waits).toBeGreaterThan(seconds - 120);
    expect(waits).toBeLessThanOrEqual(seconds);
    await trellis.rows('DELETE FROM outbox');
  });

  it('ignore a date in Retry-After without a time zone', async () => {
    const receiver = await receivers.start((response) => {
      const inTwoHours = new Date(Date.now() + 7_200_000).toUTCString();
      response.writeHead(429, { 'Retry-After': inTwoHours.replace(' GMT', '') }).end();
    });
    const logged = await hooks.ended(await hooks.queue(await hooks.hook(receiver.url)));
    expect(logged).toMatchObject({ state: 'failed', attempts: 4 });
  });

  it('disable the hook when the receiver responds 410', async () => {
    const receiver = await receivers.start(410);
    const hook = await hooks.hook(receiver.url);
    const logged = await hooks.ended(await hooks.queue(hook));
    expect(logged).toMatchObject({ state: 'failed', attempts: 1, cause: 'gone' });
    expect(logged.disabled_reason).toBe('gone');
    const next = await hooks.ended(await hooks.queue(hook));
    expect(next).toMatchObject({ state: 'failed', attempts: 0, cause: 'disabled' });
    expect(receiver.deliveries).toHaveLength(1);
  });

  it('disable the hook after three days without a success', async () => {
    const receiver = await receivers.start(500);
    const hook = await hooks.hook(receiver.url);
    await trellis.rows(`UPDATE hooks SET failing_since = now() - interval '3 days' WHERE id = $1`, [
      hook,
    ]);
    const logged = await hooks.ended(await hooks.queue(hook));
    expect(logged).toMatchObject({ state: 'failed', attempts: 1, disabled_reason: 'failing' });
    expect(logged.message).toContain('disabled after three days without a success');
  });

  it('do not disable the hook after a success in between', async () => {
    const receiver = await receivers.start(200);
    const hook = await hooks.hook(receiver.url);
    await trellis.rows(`UPDATE hooks SET failing_since = now() - interval '9 days' WHERE id = $1`, [
      hook,
    ]);
    const logged = await hooks.ended(await hooks.queue(hook));
    expect(logged).toMatchObject({ state: 'delivered', failing: false, disabled_reason: null });
  });

  it('do not follow redirects', async () => {
    const target = await receivers.start(200);
    const receiver = await receivers.start((response) =>
      response.writeHead(307, { Location: target.url }).end(),
    );
    const logged = await hooks.ended(await hooks.queue(await hooks.hook(receiver.url)));
    expect(logged).toMatchObject({ state: 'failed', cause: 'status', response_status: 307 });
    expect(logged.response_headers).toMatchObject({ location: target.url });
    expect(target.deliveries).toEqual([]);
  });

  it('report a reset connection', async () => {
    const receiver = await receivers.start((response) => response.socket?.resetAndDestroy());
    const id = await hooks.queue(await hooks.hook(receiver.url));
    expect(await hooks.ended(id)).toMatchObject({ cause: 'network', response_status: null });
  });

  it('report an unknown host', async () => {
    const id = await hooks.queue(await hooks.hook('http://nowhere.invalid/'));
    expect(await hooks.attempted(id, 1)).toMatchObject({ cause: 'dns' });
    await trellis.rows('DELETE FROM outbox');
  });

  it('time out after ten seconds in total, even while the response trickles', async () => {
    const receiver = await receivers.start((response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('.'), 50);
      response.on('close', () => clearInterval(timer));
    });
    const sender = trellis.app.get(HttpSender);
    expect(sender.timeLimitMs).toBe(10_000);
    Object.assign(sender, { timeLimitMs: 500 });
    try {
      const id = await hooks.queue(await hooks.hook(receiver.url));
      const logged = await hooks.attempted(id, 1);
      expect(logged).toMatchObject({ cause: 'timeout', response_status: null });
      expect(logged.message).toBe('No complete answer within 0.5 seconds');
    } finally {
      Object.assign(sender, { timeLimitMs: 10_000 });
    }
    await trellis.rows('DELETE FROM outbox');
  });
});

describe('Responses of receivers', () => {
  let trellis: Trellis;
  let hooks: HookDeliveries;
  let receiver: Receiver;

  beforeAll(async () => {
    trellis = await Trellis.shared({ runsJobs: true });
    hooks = new HookDeliveries(trellis);
  });
  afterAll(() => trellis.restore());
  afterEach(() => receiver.stop());

  it('are read up to 64 KB', async () => {
    receiver = await Receiver.start((response) => {
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      };
      response.on('drain', more);
      more();
    });
    const logged = await hooks.ended(await hooks.queue(await hooks.hook(receiver.url)));
    expect(logged.state).toBe('delivered');
    expect(logged.response_body).toBe('x'.repeat(64 * 1024));
  });

  it('are read up to 250 chunks', async () => {
    receiver = await Receiver.start((response) => {
      response.writeHead(200);
      for (let sent = 0; sent < 20_000; sent += 1) response.write('x');
      response.end();
    });
    const logged = await hooks.ended(await hooks.queue(await hooks.hook(receiver.url)));
    expect(logged.state).toBe('delivered');
    expect(logged.response_body).toBe('x'.repeat(250));
  });

  it('may contain bytes that are not text', async () => {
    receiver = await Receiver.start((response) => response.end(Buffer.from([0, 65, 255])));
    const logged = await hooks.ended(await hooks.queue(await hooks.hook(receiver.url)));
    expect(logged.response_body).toBe('\uFFFDA\uFFFD');
  });

  it('require a trusted certificate, unless the hook disables verification', async () => {
    receiver = await Receiver.startSecure();
    const refused = await hooks.queue(await hooks.hook(receiver.url));
    expect(await hooks.attempted(refused, 1)).toMatchObject({ state: 'pending', cause: 'tls' });
    const taken = await hooks.queue(await hooks.hook(receiver.url, { verifies: false }));
    expect(await hooks.ended(taken)).toMatchObject({ state: 'delivered', response_status: 200 });
    expect(receiver.deliveries).toHaveLength(1);
  });
});
