/**
 * @needs chromium
 * @operation
 */
import type { Page } from 'playwright-core';
import {
  ProcessHeartbeat,
  ProcessStatisticsRepository,
} from '../../../src/platform/monitoring/index.js';
import { inspect, TestBrowser } from '../../support/browser.js';
import type { Person } from '../../support/factories.js';
import { HookDeliveries } from '../../support/hook-deliveries.js';

import { Receivers } from '../../support/receiver.js';
import { takeScreenshot } from '../../support/screenshots.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(180_000);

const PERIOD_MS = 300_000;

describe('The console in a browser', () => {
  const receivers = new Receivers();
  let trellis: Trellis;
  let hooks: HookDeliveries;
  let browser: TestBrowser;
  let admin: Person;

  beforeAll(async () => {
    const env = { WEBHOOK_ALLOW_LOCAL: 'true', WEBHOOK_RETRY_SECONDS: '3600' };
    trellis = await Trellis.start({ because: 'state of the instance', runsJobs: true, env });
    hooks = new HookDeliveries(trellis);
    browser = await TestBrowser.launch();
    admin = await trellis.factories.admin();
    await trellis.app.get(ProcessHeartbeat).start('all');
  });
  afterAll(async () => {
    await browser.close();
    await receivers.stop();
    await trellis.app.get(ProcessHeartbeat).stop();
    await trellis.stop();
  });

  /** Opens an address and signs in there. */
  const openAs = async ({ user, password }: Person, path: string, returnTo = path) => {
    const page = await browser.open(trellis.url + path);
    // That an address is there for others only is an error for the browser's log.
    browser.complaints.length = 0;
    await page.getByLabel('User name or e-mail').fill(user.username);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).first().click();
    await page.waitForURL(trellis.url + returnTo);
    return page;
  };

  const section = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name }).click();

  it('signs in, repeats a failed delivery, retries a failed job and signs out', async () => {
    const receiver = await receivers.start((response, count) =>
      response.writeHead(count === 1 ? 500 : 200).end(count === 1 ? 'out of order' : 'thanks'),
    );
    const project = await trellis.factories.project(admin, { name: 'tour' });
    const hook = await hooks.hook(`${receiver.url}/hook`, { projectId: project.id });
    const delivery = await hooks.queue(hook, { object_kind: 'issue', user: { name: 'Mia' } });
    await hooks.attempted(delivery, 1);
    await trellis.rows(
      `UPDATE hook_deliveries SET state = 'failed', turn = turn + 1, next_at = NULL WHERE id = $1`,
      [delivery],
    );
    const [job] = await trellis.rows<{ id: string }>(
      `INSERT INTO outbox (queue, name, payload, error, attempts, round, failed_at)
       VALUES ('hooks', 'deliver', '{"deliveryId": "0", "turn": 0}',
               'Error: the database was away', 5, 5, now()) RETURNING id`,
    );

    const page = await openAs(admin, '/admin');
    await page.getByText('1 failed in thirty days').waitFor();
    await page.getByText('1 failed permanently').waitFor();
    await section(page, 'Deliveries');
    await page.getByLabel('State').selectOption('failed');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('link', { name: `issue ${delivery}` }).click();
    expect(await page.getByRole('region', { name: 'Body of the answer' }).innerText()).toBe(
      'out of order',
    );
    expect(await inspect(page, 'console-delivery')).toEqual([]);
    await page.getByRole('button', { name: 'Redeliver' }).click();
    await page.getByRole('status').waitFor();
    await hooks.ended(delivery);
    await page.reload();
    expect(await page.getByRole('region', { name: 'Body of the answer' }).innerText()).toBe(
      'thanks',
    );

    await section(page, 'Jobs');
    await page.getByRole('link', { name: 'deliver', exact: true }).click();
    await page.getByText('the database was away').waitFor();
    expect(await inspect(page, 'console-job')).toEqual([]);
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('The job runs again, with all its attempts.').waitFor();
    const left = await trellis.rows(
      'SELECT 1 FROM outbox WHERE id = $1 AND failed_at IS NOT NULL',
      [job?.id],
    );
    expect(left).toEqual([]);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${trellis.url}/`);
    expect(browser.complaints).toEqual([]);
    const answer = await page.goto(`${trellis.url}/admin`);
    expect(answer?.status()).toBe(404);
    await page.getByRole('button', { name: 'Sign in' }).first().waitFor();
    browser.complaints.length = 0;
    await page.context().close();
  });

  it('is hidden from users who are not administrators', async () => {
    const page = await openAs(await trellis.factories.user(), '/-/sign_in', '/');
    for (const path of ['/admin', '/admin/jobs', '/admin/deliveries', '/admin/processes']) {
      const answer = await page.goto(trellis.url + path);
      expect([path, answer?.status()]).toEqual([path, 404]);
      expect(await page.getByRole('navigation', { name: 'Console' }).count()).toBe(0);
    }
    browser.complaints.length = 0;
    await page.context().close();
  });

  it('is readable on phones too, in light and dark', async () => {
    await fill();
    const page = await openAs(admin, '/admin');
    const pages = ['/admin', '/admin/jobs', '/admin/deliveries', '/admin/processes'];
    for (const path of [...pages, '/admin/storages', '/admin/audit']) {
      await page.goto(trellis.url + path);
      const name = path.replaceAll('/', '-').slice(1);
      expect(await inspect(page, name === 'admin' ? 'console' : name)).toEqual([]);
    }
    await page.goto(`${trellis.url}/admin`);
    await takeScreenshot(page, 'console');
    await page.getByText('The figures as a table, by hour').click();
    expect(await inspect(page, 'console-table')).toEqual([]);
    expect(browser.complaints).toEqual([]);
    await page.context().close();
  });

  it('is usable by keyboard', async () => {
    const page = await openAs(admin, '/admin/deliveries');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Overview');
    const region = page.getByRole('region', { name: 'Deliveries, the newest first' });
    await region.focus();
    expect(await region.evaluate('document.activeElement?.tabIndex')).toBe(0);
    expect(browser.complaints).toEqual([]);
    await page.context().close();
  });

  const focused = (page: Page) => page.evaluate('document.activeElement?.textContent');

  /** Rows as a busy instance has them. */
  async function fill(): Promise<void> {
    const statistics = trellis.app.get(ProcessStatisticsRepository);
    const now = Math.floor(Date.now() / PERIOD_MS);
    for (let ago = 1; ago <= 288; ago += 1) {
      // Nothing ran for an hour.
      if (ago > 120 && ago < 132) continue;
      const load = 1 + Math.sin(ago / 45) + 0.2 * Math.sin(ago * 1.7);
      await statistics.add({
        periodStart: new Date((now - ago) * PERIOD_MS),
        ...{ processId: '00000000-0000-4000-8000-000000000001', role: 'all' },
        ...{ requests: Math.round(800 + 600 * load), serverErrors: ago % 37 === 0 ? 14 : 0 },
        ...{ meanDurationMs: 8 + 3 * load, slowDurationMs: 30 + 25 * load },
        ...{ eventLoopDelayMs: 1 + load, memoryBytes: Math.round((180 + 20 * load) * 1024 ** 2) },
        ...{ jobsDone: Math.round(60 * load) + 20, jobsFailed: ago % 50 === 0 ? 3 : 0 },
        ...{ deliveriesDone: Math.round(40 * load) + 10, deliveriesFailed: ago % 29 === 0 ? 9 : 0 },
      });
    }
    await trellis.rows(
      `INSERT INTO outbox (queue, name, payload, error, attempts, round, failed_at)
       SELECT 'repositories', 'tidy-repository', '{"projectId": 7}',
              'Error: git repack ended with 128: fatal: unable to create temporary file: No space left on device',
              5, 5, now() - n * interval '17 min' FROM generate_series(1, 4) n`,
    );
    await trellis.rows(
      `INSERT INTO audit_events (action, author_id, author_name, target_type, target_id, target_name,
                                 ip, details, created_at)
       SELECT action, 7, 'mia', type, n, name, '203.0.113.7', details::jsonb,
              now() - n * interval '7 min'
         FROM generate_series(1, 5) n,
              (VALUES ('project.visibility_changed', 'project', 'crew/tour', '{"from": "private", "to": "public"}'),
                      ('hook.added', 'hook', 'https://receiver.example.com/services/trellis', '{"events": ["push", "issues"]}'))
                AS kinds (action, type, name, details)`,
    );
    const hook = await hooks.hook('https://mia:***@receiver.example.com/services/trellis/hook');
    await trellis.rows(
      `WITH event AS (INSERT INTO hook_events (kind, facts, body) VALUES ('push', '{}', '{}') RETURNING id)
       INSERT INTO hook_deliveries (hook_id, event_id, kind, message_id, state, attempts, cause,
                                    message, response_status)
       SELECT $1, event.id, 'push', 'msg_' || n, CASE n % 3 WHEN 0 THEN 'failed' ELSE 'delivered' END,
              1, CASE n % 3 WHEN 0 THEN 'timeout' END,
              CASE n % 3 WHEN 0 THEN 'No complete answer within 10 seconds' END,
              CASE n % 3 WHEN 0 THEN NULL ELSE 200 END
         FROM event, generate_series(1, 60) n`,
      [hook],
    );
    await trellis.rows(
      `INSERT INTO processes (id, role, version, host, pid, started_at, renewed_at, memory_bytes,
                              event_loop_delay_ms, connections_used, connections_waiting, connections_limit, lease_ms)
       SELECT gen_random_uuid(), role, '0.1.0', host, 4000 + n, now() - interval '3 days',
              now() - n * interval '25 s', 190e6, 3.2, 4, 0, 10, 15000
         FROM (VALUES ('api', 'trellis-api-7c9d', 0), ('worker', 'trellis-worker-5f6b', 2)) t (role, host, n)`,
    );
  }
});
