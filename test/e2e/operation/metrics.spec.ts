import type { Person } from '../../support/factories.js';
import { type Figures, parseFigures } from '../../support/figures.js';
import { HookDeliveries } from '../../support/hook-deliveries.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const METRICS_TOKEN = 'token-of-the-metrics';
/** Of the process, which other tests have used as well. */
const OF_PROCESS = /^trellis_(http|database|git|budget|cache|traces|job|hook_delivery)_/;

describe('Metrics', () => {
  let trellis: Trellis;
  let hooks: HookDeliveries;
  let admin: Person;

  beforeAll(async () => {
    trellis = await Trellis.start({ because: 'state of the instance', env: { METRICS_TOKEN } });
    hooks = new HookDeliveries(trellis);
    admin = await trellis.factories.admin();
  });
  afterAll(() => trellis.stop());
  beforeEach(() => trellis.rows('TRUNCATE outbox, hook_deliveries, hook_events, hooks'));

  const get = (headers: Record<string, string>) => fetch(`${trellis.url}/metrics`, { headers });
  /** Each figure by its name and labels. */
  const readAll = async (): Promise<Figures> => {
    const response = await get({ 'PRIVATE-TOKEN': admin.token });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    return parseFigures(await response.text());
  };

  /** Those of the whole instance. */
  const read = async () => {
    const all = Object.entries(await readAll());
    return Object.fromEntries(all.filter(([name]) => !OF_PROCESS.test(name)));
  };

  it('are available to administrators, who may send their token as a bearer', async () => {
    expect((await get({})).status).toBe(401);
    const person = await trellis.factories.user();
    const refused = await get({ 'PRIVATE-TOKEN': person.token });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toEqual({ message: '403 Forbidden' });
    expect((await get({ Authorization: `Bearer ${admin.token}` })).status).toBe(200);
  });

  it('are available with METRICS_TOKEN, which grants nothing else', async () => {
    const headers = { Authorization: `Bearer ${METRICS_TOKEN}` };
    const response = await get(headers);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('# TYPE nodejs_eventloop_lag_seconds gauge');
    expect((await get({ Authorization: `Bearer ${METRICS_TOKEN}x` })).status).toBe(401);
    expect((await get({ 'PRIVATE-TOKEN': METRICS_TOKEN })).status).toBe(401);
    expect((await fetch(`${trellis.url}/api/v3/user`, { headers })).status).toBe(401);
  });

  it('count requests by route, and their statements', async () => {
    const route = 'trellis_http_request_duration_seconds_count{method="GET",route=';
    const names = [
      `${route}"/api/v3/projects/:id",status="404"}`,
      `${route}"",status="404"}`,
      'trellis_database_statements_total',
    ];
    const before = await readAll();
    const project = `${trellis.url}/api/v3/projects/987654321`;
    for (const url of [project, project, `${trellis.url}/nowhere`]) {
      expect((await fetch(url, { headers: { 'PRIVATE-TOKEN': admin.token } })).status).toBe(404);
    }
    const after = await readAll();
    const [found, unknown, statements] = names.map(
      (name) => (after[name] ?? 0) - (before[name] ?? 0),
    );
    expect([found, unknown]).toEqual([2, 1]);
    expect(statements).toBeGreaterThanOrEqual(2);
    expect(after['trellis_database_connections{state="waiting"}']).toBe(0);
    expect(after['trellis_git_processes{kind="push",state="running"}']).toBe(0);
  });

  it('include zero values', async () => {
    expect(await read()).toEqual({
      trellis_hook_deliveries_pending: 0,
      trellis_hook_oldest_pending_seconds: 0,
      trellis_outbox_lag_seconds: 0,
      'trellis_pushes{state="running"}': 0,
      'trellis_pushes{state="waiting"}': 0,
      trellis_replica_repeated_statements_total: 0,
    });
  });

  it('count jobs by queue and state, with the age of the oldest', async () => {
    await trellis.rows(
      `INSERT INTO outbox (queue, name, payload, run_at, enqueued_at, failed_at) VALUES
         ('hooks', 'deliver', '{}', now() - interval '50 s', NULL, NULL),
         ('hooks', 'deliver', '{}', now() - interval '90 s', NULL, NULL),
         ('hooks', 'deliver', '{}', now() - interval '200 s', now(), NULL),
         ('hooks-later', 'deliver-later', '{}', now() + interval '1 hour', NULL, NULL),
         ('maintenance', 'tidy', '{}', now() - interval '9 days', NULL, now() - interval '300 s')`,
    );
    const figures = await read();
    expect(figures).toMatchObject({
      'trellis_jobs{queue="hooks",state="waiting"}': 2,
      'trellis_jobs{queue="hooks",state="queued"}': 1,
      'trellis_jobs{queue="hooks-later",state="delayed"}': 1,
      'trellis_jobs{queue="maintenance",state="failed"}': 1,
    });
    expect(Math.floor((figures['trellis_outbox_lag_seconds'] ?? 0) / 10)).toBe(9);
    const age = (queue: string, state: string) =>
      Math.floor(
        (figures[`trellis_jobs_oldest_seconds{queue="${queue}",state="${state}"}`] ?? NaN) / 10,
      );
    expect(age('hooks', 'waiting')).toBe(9);
    expect(age('hooks', 'queued')).toBe(20);
    expect(age('maintenance', 'failed')).toBe(30);
    expect(age('hooks-later', 'delayed')).toBeNaN();
  });

  it('count pending deliveries, failures by cause, and disabled hooks', async () => {
    const hook = await hooks.hook('http://example.com/');
    const queue = async (columns: string) => {
      const id = await hooks.queue(hook);
      await trellis.rows(`UPDATE hook_deliveries SET ${columns} WHERE id = $1`, [id]);
    };
    await queue(`created_at = now() - interval '500 s'`);
    await queue(`cause = 'timeout'`);
    await queue(`cause = 'timeout', state = 'failed'`);
    await queue(`cause = 'timeout', state = 'failed'`);
    await queue(`cause = 'dns', state = 'failed'`);
    await queue(`state = 'delivered', created_at = now() - interval '9 days'`);
    await trellis.rows(`UPDATE hooks SET disabled_at = now(), disabled_reason = 'gone'`);
    const figures = await read();
    expect(figures).toMatchObject({
      trellis_hook_deliveries_pending: 2,
      'trellis_hook_failures{cause="timeout",state="pending"}': 1,
      'trellis_hook_failures{cause="timeout",state="failed"}': 2,
      'trellis_hook_failures{cause="dns",state="failed"}': 1,
      'trellis_hooks_disabled{reason="gone"}': 1,
    });
    const oldest = figures['trellis_hook_oldest_pending_seconds'] ?? 0;
    expect(Math.floor(oldest / 60)).toBe(8);
  });
});
