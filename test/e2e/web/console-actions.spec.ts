/** @redis */
import { BrowserSession } from '../../support/browser-session.js';
import type { Person } from '../../support/factories.js';
import { HookDeliveries } from '../../support/hook-deliveries.js';
import { Receivers } from '../../support/receiver.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

jest.setTimeout(120_000);

describe('Actions in the console', () => {
  const receivers = new Receivers();
  let trellis: Trellis;
  let hooks: HookDeliveries;
  let browser: BrowserSession;
  let admin: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared({ runsJobs: true });
    hooks = new HookDeliveries(trellis);
    browser = new BrowserSession(trellis);
    admin = await trellis.factories.admin();
    await browser.signInByToken(admin.token);
  });
  afterAll(async () => {
    await receivers.stop();
    await trellis.restore();
  });

  /** A delivery whose job has failed permanently, as when the service itself was in trouble. */
  async function failedJob() {
    const receiver = await receivers.start(200);
    const delivery = await hooks.queue(await hooks.hook(receiver.url), {});
    await hooks.ended(delivery);
    await trellis.rows(`UPDATE hook_deliveries SET state = 'pending', turn = 7 WHERE id = $1`, [
      delivery,
    ]);
    const [job] = await trellis.rows<{ id: string }>(
      `INSERT INTO outbox (queue, name, payload, error, attempts, round, failed_at)
       VALUES ('hooks', 'deliver', $1, 'Error: in vain', 5, 5, now()) RETURNING id`,
      [JSON.stringify({ deliveryId: delivery, turn: 7 })],
    );
    return { receiver, delivery, job: job?.id ?? '' };
  }

  /** What the form leads to: the name of a notice. */
  const decide = async (job: string, action: 'retry' | 'remove', round = 5) => {
    const path = `/admin/jobs/${job}/${action}`;
    const answer = await browser.submit('/admin/jobs', path, { round: String(round) });
    expect(answer.status).toBe(303);
    return answer.headers.get('location')?.replace('/admin/jobs?notice=', '');
  };

  /** What the audit log has about a job. */
  const audited = (job: string) =>
    trellis.rows(
      `SELECT action, author_id, target_name, host(ip) AS ip, request_id IS NOT NULL AS named
         FROM audit_events WHERE target_type = 'job' AND details->>'id' = $1 ORDER BY id`,
      [job],
    );
  const entry = (action: string) => ({
    ...{ action, author_id: admin.user.id, target_name: 'hooks/deliver' },
    ...{ ip: expect.stringMatching(/^(127\.0\.0\.1|::1)$/) as string, named: true },
  });

  const isThere = async (job: string) =>
    (await trellis.rows('SELECT 1 FROM outbox WHERE id = $1', [job])).length > 0;

  it('retry a failed job, which runs once for repeated requests', async () => {
    const { receiver, delivery, job } = await failedJob();
    const notices = await Promise.all([1, 2, 3].map(() => decide(job, 'retry')));
    expect(notices.sort()).toEqual(['job-changed', 'job-changed', 'job-retried']);
    expect(await hooks.ended(delivery)).toMatchObject({ state: 'delivered', turn: 8 });
    await until(async () => !(await isThere(job)));
    expect(receiver.deliveries).toHaveLength(2);
    expect(await decide(job, 'retry')).toBe('job-changed');
    expect(await audited(job)).toEqual([entry('job.retried')]);
  });

  it('retry a job that fails again, and ignore the form of the first failure', async () => {
    const [row] = await trellis.rows<{ id: string }>(
      `INSERT INTO outbox (queue, name, payload, error, attempts, round, failed_at)
       VALUES ('hooks', 'deliver', '{"deliveryId": "none", "turn": 0}', 'Error', 5, 5, now())
       RETURNING id`,
    );
    const job = row?.id ?? '';
    expect(await decide(job, 'retry')).toBe('job-retried');
    await until(async () => {
      const [{ attempts, error } = { attempts: 0, error: '' }] = await trellis.rows<{
        attempts: number;
        error: string;
      }>('SELECT attempts, error FROM outbox WHERE id = $1', [job]);
      return attempts > 0 && error.includes('none');
    });
    await trellis.rows(
      'UPDATE outbox SET failed_at = now(), enqueued_at = NULL, round = round + 1 WHERE id = $1',
      [job],
    );
    expect(await decide(job, 'remove')).toBe('job-changed');
    const [{ round } = { round: 0 }] = await trellis.rows<{ round: number }>(
      'SELECT round FROM outbox WHERE id = $1',
      [job],
    );
    expect(await decide(job, 'remove', round)).toBe('job-removed');
    expect(await isThere(job)).toBe(false);
  });

  it('remove a failed job, which never runs', async () => {
    const { receiver, job } = await failedJob();
    expect(await decide(job, 'remove')).toBe('job-removed');
    expect(await decide(job, 'remove')).toBe('job-changed');
    expect(await decide(job, 'retry')).toBe('job-changed');
    expect(await isThere(job)).toBe(false);
    expect(receiver.deliveries).toHaveLength(1);
    expect(await audited(job)).toEqual([entry('job.removed')]);
  });

  it('do not affect a job that has not failed', async () => {
    const [row] = await trellis.rows<{ id: string }>(
      `INSERT INTO outbox (queue, name, payload, run_at) VALUES
         ('hooks', 'deliver', '{}', now() + interval '1 day') RETURNING id`,
    );
    const job = row?.id ?? '';
    expect(await decide(job, 'remove', 0)).toBe('job-changed');
    expect(await decide(job, 'retry', 0)).toBe('job-changed');
    expect(await isThere(job)).toBe(true);
  });

  it('repeat a delivery, once for each form, also to a disabled hook', async () => {
    const receiver = await receivers.start((response, count) =>
      response.writeHead(count === 1 ? 410 : 200).end(),
    );
    const delivery = await hooks.queue(await hooks.hook(receiver.url), {});
    const { turn } = await hooks.ended(delivery);
    const page = `/admin/deliveries/${delivery}`;
    expect((await browser.get(page)).text).toContain('The hook is disabled: gone.');
    const repeat = async () => {
      const answer = await browser.submit(page, `${page}/redeliver`, { turn: String(turn) });
      return answer.headers.get('location');
    };
    const locations = await Promise.all([repeat(), repeat()]);
    expect(locations.sort()).toEqual([
      `${page}?notice=delivery-changed`,
      `${page}?notice=delivery-repeated`,
    ]);
    const ended = await hooks.ended(delivery);
    expect(ended).toMatchObject({ state: 'delivered', disabled_reason: null });
    expect(receiver.deliveries.map(({ headers }) => headers['webhook-id'])).toEqual([
      ended.message_id,
      ended.message_id,
    ]);
    expect(
      await trellis.rows(
        `SELECT author_id, details FROM audit_events
          WHERE action = 'hook.enabled' AND request_id IS NOT NULL
            AND target_id = (SELECT hook_id FROM hook_deliveries WHERE id = $1)`,
        [delivery],
      ),
    ).toEqual([{ author_id: admin.user.id, details: { disabled_reason: 'gone' } }]);
    const { text } = await browser.get(`${page}?notice=delivery-repeated`);
    expect(text).toContain('role="status">The delivery is on its way once more.');
    expect((await browser.get(`${page}?notice=constructor`)).text).not.toContain('role="status"');
  });

  it('follow the store of the queues, which the page names', async () => {
    const store = process.env['TEST_REDIS_URL'] ? 'Redis' : 'PostgreSQL';
    const { text } = await browser.get('/admin/jobs');
    expect(text).toContain(`The queues are in ${store}, which answers.`);
  });
});
