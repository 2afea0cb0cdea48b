import {
  trimAuditEvents,
  TrimAuditEventsJob,
} from '../../../src/modules/audit/trim-audit-events.job.js';
import { runCommand } from '../../support/commands.js';
import { type Person, unique } from '../../support/factories.js';
import { tablesReadWhole } from '../../support/plans.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(60_000);

interface Row {
  created_at: string;
  action: string;
  author_id: number | null;
  target_type: string;
  target_id: number;
  target_name: string;
  project_id: number | null;
  group_id: number | null;
  ip: string | null;
}

const IP = '2001:db8::17';

describe('GET /audit_events', () => {
  let trellis: Trellis;
  let admin: Person;
  let user: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared({ settings: { AUDIT_RETENTION_DAYS: '30' } });
    admin = await trellis.factories.admin();
    user = await trellis.factories.user();
  });
  afterAll(() => trellis.restore());
  beforeEach(() => trellis.rows('TRUNCATE audit_events'));

  /** Inserts entries, and returns their ids. */
  const insert = async (rows: readonly Partial<Row>[]): Promise<number[]> => {
    const inserted = await trellis.rows<{ id: string }>(
      `INSERT INTO audit_events (created_at, action, author_id, author_name, target_type, target_id,
                                 target_name, project_id, group_id, ip)
       SELECT coalesce(created_at, now()), coalesce(action, 'user.created'), author_id, 'mia',
              target_type, target_id, target_name, project_id, group_id, ip
         FROM jsonb_to_recordset($1) AS row (created_at timestamptz, action varchar, author_id int,
              target_type varchar, target_id int, target_name varchar, project_id int, group_id int,
              ip inet)
       RETURNING id`,
      [JSON.stringify(rows)],
    );
    return inserted.map(({ id }) => Number(id));
  };
  const list = (query = '') => trellis.as(admin).get(`/audit_events${query}`).expect(200);
  const idsOf = async (query: string): Promise<number[]> => {
    const { body } = await list(query);
    return (body as { id: number }[]).map(({ id }) => id);
  };
  const exported = (...args: string[]) => runCommand(['audit', ...args], trellis.sharedEnvironment);

  it('is limited to administrators', async () => {
    await trellis.anonymous.get('/audit_events').expect(401);
    await trellis.as(user).get('/audit_events').expect(403, { message: '403 Forbidden' });
    await trellis
      .as(admin)
      .get(`/audit_events?sudo=${String(user.user.id)}`)
      .expect(403);
  });

  it.each([
    ['page=x', 'page is invalid'],
    ['action=user.made', 'action does not have a valid value'],
    ['target_type=users', 'target_type does not have a valid value'],
    ['target_id=1', 'target_type is missing'],
    ['author_id=x', 'author_id is invalid'],
    ['created_after=soon', 'created_after is invalid'],
    ['ip=localhost', 'ip is invalid'],
    ['ip=10.0.0.0/8', 'ip is invalid'],
  ])('refuses %s', async (query, error) => {
    await trellis.as(admin).get(`/audit_events?${query}`).expect(400, { error });
  });

  it('returns complete entries', async () => {
    const path = `group-${unique()}`;
    const made = await trellis
      .as(user)
      .post('/groups', { name: path, path, visibility_level: 10 })
      .set('X-Request-Id', 'audited-1')
      .expect(200);
    const { id } = made.body as { id: number };
    const { body } = await list();
    expect(body).toEqual([
      {
        id: expect.any(Number) as number,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
        action: 'group.created',
        author_id: user.user.id,
        author_name: user.user.username,
        administrator_id: null,
        administrator_name: null,
        target_type: 'group',
        target_id: id,
        target_name: path,
        project_id: null,
        group_id: id,
        ip: '127.0.0.1',
        request_id: 'audited-1',
        details: { visibility: 'internal' },
      },
    ]);
  });

  it('filters entries', async () => {
    const entry = { target_type: 'user', target_id: 7, author_id: 3 };
    const [first, second, third] = (await insert([
      { ...entry, created_at: '2030-01-01T00:00:00Z', project_id: 5, ip: IP },
      { ...entry, created_at: '2030-01-02T00:00:00Z', group_id: 5, action: 'group.created' },
      { ...entry, created_at: '2030-01-03T00:00:00Z', target_type: 'hook', author_id: 4 },
    ])) as [number, number, number];
    const finds: [string, number[]][] = [
      ['', [third, second, first]],
      ['author_id=3', [second, first]],
      ['action=group.created', [second]],
      ['target_type=hook', [third]],
      ['target_type=user&target_id=7', [second, first]],
      ['target_type=user&target_id=8', []],
      ['project_id=5', [first]],
      ['group_id=5', [second]],
      [`ip=${IP}`, [first]],
      ['ip=2001:0DB8:0::17', [first]],
      ['ip=127.0.0.1', []],
      ['created_after=2030-01-02', [third, second]],
      ['created_before=2030-01-02', [first]],
      ['author_id=3&created_after=2030-01-02T00:00:00Z', [second]],
    ];
    for (const [query, ids] of finds)
      expect([query, await idsOf(`?${query}`)]).toEqual([query, ids]);
  });

  it('is split into pages, with a constant number of statements', async () => {
    const at = '2030-01-01T00:00:00Z';
    const ids = await insert(Array.from({ length: 5 }, () => ({ created_at: at })));
    const newest = [...ids].reverse();
    const { headers } = await list('?per_page=2&page=2');
    expect(headers).toMatchObject({ 'x-total': '5', 'x-total-pages': '3', 'x-next-page': '3' });
    expect(await idsOf('?per_page=2&page=2')).toEqual(newest.slice(2, 4));
    const few = await trellis.statements.during(() => list('?per_page=1'));
    expect(await trellis.statements.during(() => list('?per_page=5'))).toHaveLength(few.length);
  });

  it.each([
    '',
    'author_id=3',
    'action=user.blocked',
    'target_type=user',
    'target_type=user&target_id=3',
    'project_id=3',
    'group_id=3',
    `ip=${IP}`,
    'created_after=2040-01-01',
  ])('uses an index: %s', async (query) => {
    await trellis.rows(
      `INSERT INTO audit_events (created_at, action, author_id, author_name, target_type, target_id,
                                 project_id, group_id, ip)
       SELECT '2030-01-01'::timestamptz + n * interval '1 minute', 'user.created', n, 'mia', 'group', n,
              n, n, '10.0.0.0'::inet + n FROM generate_series(1, 3000) n`,
    );
    await trellis.rows('ANALYZE audit_events');
    const statements = await trellis.statements.ran(() => list(`?${query}`));
    const own = statements.filter(({ sql }) => sql.includes('FROM audit_events'));
    expect(own).toHaveLength(2);
    // What counts the whole log reads all of it.
    for (const statement of query === '' ? own.slice(0, 1) : own) {
      expect(await tablesReadWhole(trellis, statement)).toEqual([]);
    }
  });

  it('is printed by trellis audit as JSON lines, oldest first', async () => {
    await trellis.rows(
      `INSERT INTO audit_events (created_at, action, author_name)
       SELECT '2030-01-01'::timestamptz + n / 10 * interval '1 hour', 'user.created', 'mia'
         FROM generate_series(1, 2500) n`,
    );
    const parse = ({ output }: { output: string }) =>
      output
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { id: number; created_at: string; action: string });
    const { body } = await list('?per_page=1');
    const all = await exported();
    expect(all.code).toBe(0);
    const entries = parse(all);
    expect(entries).toHaveLength(2500);
    expect(entries.at(-1)).toEqual((body as object[])[0]);
    expect(entries.map(({ id }) => id)).toEqual([...entries.keys()].map((n) => n + entries[0]!.id));
    const some = parse(
      await exported('--since', '2030-01-01T01:00:00Z', '--until', '2030-01-01T03:00:00Z'),
    );
    expect(some).toHaveLength(20);
    expect((await exported('--action', 'user.deleted')).output).toBe('');
    await expect(exported('--action', 'user.made')).resolves.toMatchObject({
      failure: expect.stringContaining('--action takes one of session.created, ') as string,
    });
    await expect(exported('--since', 'soon')).resolves.toMatchObject({
      failure: '--since takes a time such as 2030-01-31T08:00:00Z',
    });
  });

  it('is kept for AUDIT_RETENTION_DAYS, and trimmed every hour', async () => {
    const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    await insert(Array.from({ length: 1_001 }, () => ({ created_at: ago(40) })));
    const [, young] = (await insert([{ created_at: ago(30.1) }, { created_at: ago(29.9) }])) as [
      number,
      number,
    ];
    const job = trellis.app.get(TrimAuditEventsJob);
    await job.handle({}, { signal: AbortSignal.abort() });
    expect((await list()).headers['x-total']).toBe('1003');
    await job.handle({}, { signal: new AbortController().signal });
    expect(await idsOf('')).toEqual([young]);
    expect(trimAuditEvents.everyMs).toBe(3_600_000);
  });
});
