import { Database } from '../../../src/platform/database/index.js';
import { BrowserSession } from '../../support/browser-session.js';
import type { Person } from '../../support/factories.js';
import { parseFigures } from '../../support/figures.js';
import { HookDeliveries } from '../../support/hook-deliveries.js';
import type { RanStatement } from '../../support/statements.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const MANY = 10_500;

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  Plans?: PlanNode[];
}

/** A table as a statement reads it. */
interface TableRead {
  readonly table: string;
  readonly how: string;
  readonly rows: number;
}

/** What the console, `/metrics` and `trellis status` say of a great many jobs and deliveries. */
describe('Counts of many rows', () => {
  let trellis: Trellis;
  let admin: Person;
  let browser: BrowserSession;

  beforeAll(async () => {
    trellis = await Trellis.start({ because: 'state of the instance' });
    admin = await trellis.factories.admin();
    browser = new BrowserSession(trellis);
    await browser.signInByToken(admin.token);
    await addJobs();
    await addDeliveries();
    await trellis.rows('VACUUM ANALYZE outbox, hook_deliveries');
  });
  afterAll(() => trellis.stop());

  /** Many of a queue in each state but one, and some of others, which came last. */
  async function addJobs(): Promise<void> {
    await trellis.rows(
      `INSERT INTO outbox (queue, name, payload, run_at, enqueued_at, failed_at)
       SELECT queue, 'job-' || n % 2, '{}', now() + at * interval '1 s',
              CASE WHEN state = 'queued' THEN now() END, CASE WHEN state = 'failed' THEN now() END
         FROM (VALUES ('large', 'queued', -100, $1::int), ('small', 'queued', -50, 3),
                      ('large', 'failed', -90, $1), ('small', 'failed', -80, 2),
                      ('large', 'delayed', 900, $1), ('small', 'delayed', 900, 1),
                      ('small', 'waiting', -70, 12))
              AS jobs (queue, state, at, count), generate_series(1, count) n`,
      [MANY],
    );
  }

  async function addDeliveries(): Promise<void> {
    const hooks = new HookDeliveries(trellis);
    const hook = await hooks.hook('http://receiver.example.com/');
    const id = await hooks.queue(hook, {});
    await trellis.rows(
      `INSERT INTO hook_deliveries (hook_id, event_id, kind, message_id, state, cause, created_at)
       SELECT hook_id, event_id, kind, 'msg_' || n,
              CASE WHEN n <= $2 THEN 'failed' WHEN n <= 2 * $2 THEN 'pending' ELSE 'delivered' END,
              CASE WHEN n <= $2 THEN 'timeout' END, now() - interval '10 s'
         FROM hook_deliveries, generate_series(1, 3 * $2::int) n WHERE id = $1`,
      [id, MANY],
    );
    await trellis.rows(`UPDATE hook_deliveries SET state = 'failed', cause = 'dns' WHERE id = $1`, [
      id,
    ]);
    await trellis.rows('DELETE FROM outbox WHERE queue = $1', ['hooks']);
  }

  const readMetrics = async (): Promise<string> => {
    const headers = { 'PRIVATE-TOKEN': admin.token };
    return (await fetch(`${trellis.url}/metrics`, { headers })).text();
  };

  it('are exact up to ten thousand, and report that there is more', async () => {
    const figures = parseFigures(await readMetrics());
    expect(figures).toMatchObject({
      'trellis_jobs{queue="large",state="queued"}': 10_000,
      'trellis_jobs{queue="small",state="queued"}': 3,
      'trellis_jobs{queue="large",state="failed"}': 10_000,
      'trellis_jobs{queue="small",state="failed"}': 2,
      'trellis_jobs{queue="large",state="delayed"}': 10_000,
      'trellis_jobs{queue="small",state="delayed"}': 1,
      'trellis_jobs{queue="small",state="waiting"}': 12,
      trellis_hook_deliveries_pending: 10_000,
      'trellis_hook_failures{cause="timeout",state="failed"}': 10_000,
      'trellis_hook_failures{cause="dns",state="failed"}': 1,
    });
    const age = figures['trellis_jobs_oldest_seconds{queue="small",state="queued"}'] ?? 0;
    expect(Math.floor(age / 40)).toBe(1);
    const { text } = await browser.get('/admin');
    expect(text).toContain('<p class="figure">10,015+</p>');
    expect(text).toContain('10,002+ failed permanently');
    expect(text).toContain('10,001+ delayed');
    expect(text).toContain('<p class="figure">10,000+</p>');
    expect(text).toContain('10,001+ failed in thirty days');
    expect((await browser.get('/admin/jobs')).text).toContain('10,000+ (');
  });

  it.each([
    ['/admin', () => browser.get('/admin')],
    ['/admin/jobs', () => browser.get('/admin/jobs')],
    ['failed jobs of a queue', () => browser.get('/admin/jobs?queue=small')],
    ['/metrics', readMetrics],
  ])('scan no table, and read a limited number of rows (%s)', async (_, ask) => {
    const reads: TableRead[] = [];
    for (const statement of await trellis.statements.ran(ask)) {
      if (/\b(outbox|hook_deliveries)\b/.test(statement.sql)) {
        reads.push(...(await readsOf(statement)));
      }
    }
    expect(reads.length).toBeGreaterThan(0);
    expect(reads.filter(({ how, rows }) => how === 'Seq Scan' || rows > 10_001 * 4)).toEqual([]);
  });

  /** How a statement of the service reads the two tables, planned as the service has it planned. */
  async function readsOf({ sql, parameters }: RanStatement): Promise<TableRead[]> {
    const database = trellis.app.get(Database);
    const explain = `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`;
    const isOrdered = /AS bounded/.test(sql);
    const [row] = await (isOrdered
      ? database.rowsInIndexOrder<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(explain, parameters)
      : database.rows<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(explain, parameters));
    return tablesOf(row!['QUERY PLAN'][0].Plan).filter(({ table }) =>
      ['outbox', 'hook_deliveries'].includes(table),
    );
  }

  function tablesOf({ Plans = [], ...node }: PlanNode): TableRead[] {
    const { 'Relation Name': table } = node;
    const rows = node['Actual Rows'] * node['Actual Loops'];
    const own = table === undefined ? [] : [{ table, how: node['Node Type'], rows }];
    return [...own, ...Plans.flatMap(tablesOf)];
  }
});
