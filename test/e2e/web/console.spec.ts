import { ProcessesRepository } from '../../../src/platform/cluster/index.js';
import { ProcessStatisticsRepository } from '../../../src/platform/monitoring/index.js';
import { BrowserSession } from '../../support/browser-session.js';
import { type MadeProject, type Person, unique } from '../../support/factories.js';
import { HookDeliveries } from '../../support/hook-deliveries.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const SECRET = 'a-secret-of-the-suite';

describe("The operators' console", () => {
  let trellis: Trellis;
  let hooks: HookDeliveries;
  let admin: Person;
  let browser: BrowserSession;
  let project: MadeProject;
  let hook: number;
  let delivery: string;
  let queue: string;
  let failedJob: string;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    hooks = new HookDeliveries(trellis);
    admin = await trellis.factories.admin();
    browser = await signedIn(admin);
    project = await trellis.factories.project(admin);
    hook = await hooks.hook(`http://mia:${SECRET}@receiver.example.com/path`, {
      projectId: project.id,
    });
    delivery = await failedDelivery();
    queue = `queue-${unique()}`;
    failedJob = await addFailedJob();
  });

  const signedIn = async ({ token }: Person) => {
    const session = new BrowserSession(trellis);
    expect((await session.signInByToken(token)).status).toBe(303);
    return session;
  };

  /** Adds a job that has failed permanently, as it is kept in the outbox. */
  const addFailedJob = async (error = 'Error: it was in vain', payload: object = {}) => {
    const [job] = await trellis.rows<{ id: string }>(
      `INSERT INTO outbox (queue, name, payload, error, attempts, round, failed_at)
       VALUES ($1, 'toil', $2, $3, 5, 5, now()) RETURNING id`,
      [queue, JSON.stringify(payload), error],
    );
    return job?.id ?? '';
  };

  const failedDelivery = async (facts: object = { object_kind: 'issue' }) => {
    const id = await hooks.queue(hook, facts);
    await trellis.rows(
      `UPDATE hook_deliveries SET state = 'failed', attempts = 11, turn = 11, cause = 'status',
              message = 'The receiver answered 500', response_status = 500, duration_ms = 12,
              attempted_at = now(), finished_at = now(), response_body = 'out of order <b>',
              request_headers = '{"X-Gitlab-Event": "Issue Hook", "X-Gitlab-Token": "${SECRET}"}',
              response_headers = '{"server": "nginx", "set-cookie": "${SECRET}"}'
        WHERE id = $1`,
      [id],
    );
    await trellis.rows(
      'UPDATE hook_events SET body = $2 WHERE id = (SELECT event_id FROM hook_deliveries WHERE id = $1)',
      [id, JSON.stringify(facts)],
    );
    return id;
  };

  const pages = () => [
    '/admin',
    '/admin/jobs',
    `/admin/jobs/${failedJob}`,
    '/admin/deliveries',
    `/admin/deliveries/${delivery}`,
    '/admin/processes',
    '/admin/storages',
    '/admin/audit',
  ];

  const forms = () => [
    { path: `/admin/jobs/${failedJob}/retry`, fields: { round: '5' } },
    { path: `/admin/jobs/${failedJob}/remove`, fields: { round: '5' } },
    { path: `/admin/deliveries/${delivery}/redeliver`, fields: { turn: '11' } },
  ];

  /** What the forms would change. */
  const state = async () => [
    await trellis.rows('SELECT * FROM outbox WHERE id = $1', [failedJob]),
    await trellis.rows('SELECT * FROM hook_deliveries WHERE id = $1', [delivery]),
  ];

  /** Asks for everything as one caller and expects that it gets nothing. */
  async function expectNothing(session: BrowserSession, headers: Record<string, string> = {}) {
    const before = await state();
    for (const path of pages()) {
      const { status, text } = await session.get(path, headers);
      expect([path, status]).toEqual([path, 404]);
      expect(text).not.toContain('aria-label="Console"');
      expect(text).not.toContain('toil');
    }
    const csrf_token = await session.csrfToken('/');
    for (const { path, fields } of forms()) {
      const { status } = await session.post(path, { csrf_token, ...fields }, headers);
      expect([path, status]).toEqual([path, 404]);
    }
    expect(await state()).toEqual(before);
  }

  describe('is limited to administrators', () => {
    it('who have signed in', async () => {
      for (const path of pages()) {
        const { status, text } = await browser.get(path);
        expect([path, status]).toEqual([path, 200]);
        expect(text).toContain('<nav class="sections" aria-label="Console">');
      }
    });

    it('and refused without a session, for every token', async () => {
      await expectNothing(new BrowserSession(trellis));
      await expectNothing(new BrowserSession(trellis), { 'PRIVATE-TOKEN': admin.token });
      const { text } = await new BrowserSession(trellis).get('/admin/jobs?queue=hooks');
      expect(text).toContain('name="return_to" value="/admin/jobs?queue=hooks"');
    });

    it('and refused to other users, also by sudo', async () => {
      const user = await signedIn(await trellis.factories.user());
      await expectNothing(user);
      await expectNothing(user, { SUDO: admin.user.username });
    });

    it('and refused after demotion or block of the account', async () => {
      const former = await trellis.factories.admin();
      const session = await signedIn(former);
      expect((await session.get('/admin')).status).toBe(200);
      await trellis.rows('UPDATE users SET admin = false WHERE id = $1', [former.user.id]);
      await expectNothing(session);
      const blocked = await trellis.factories.admin();
      const ended = await signedIn(blocked);
      expect((await ended.get('/admin')).status).toBe(200);
      await trellis.as(admin).put(`/users/${blocked.user.id}/block`).expect(200);
      await expectNothing(ended);
    });

    it('and refuses forms without the token of its pages, or from other origins', async () => {
      const before = await state();
      const csrf_token = await browser.csrfToken('/admin/jobs');
      expect(csrf_token).not.toBe('');
      for (const { path, fields } of forms()) {
        const attempts = [
          await browser.post(path, fields),
          await browser.post(path, { ...fields, csrf_token: `${csrf_token}x` }),
          await browser.post(path, { ...fields, csrf_token }, { Origin: 'https://evil.example' }),
          await browser.post(path, { ...fields, csrf_token }, { 'Sec-Fetch-Site': 'cross-site' }),
        ];
        expect(attempts.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
        expect((await browser.get(path)).status).toBe(405);
      }
      expect(await state()).toEqual(before);
    });
  });

  describe('shows jobs', () => {
    const rowsOf = (text: string) => text.match(/<tr /g)?.length ?? 0;

    it('that failed permanently, with their cause and without secrets', async () => {
      const error = `Error: https://mia:${SECRET}@example.com/a.git <b>was</b> refused`;
      const id = await addFailedJob(error, { url: 'https://example.com', token: SECRET, a: '<i>' });
      const { text } = await browser.get(`/admin/jobs?queue=${queue}`);
      expect(text).toContain(`<a href="/admin/jobs/${id}">toil</a>`);
      expect(text).toContain('https://[redacted]@example.com/a.git &lt;b>was&lt;/b> refused');
      const detail = await browser.get(`/admin/jobs/${id}`);
      expect(detail.text).toContain('failed permanently');
      expect(detail.text).toContain('&quot;token&quot;: &quot;[redacted]&quot;');
      expect(detail.text).toContain('&quot;a&quot;: &quot;&lt;i>');
      expect(text + detail.text).not.toContain(SECRET);
    });

    it('counted by queue and state', async () => {
      const own = `queue-${unique()}`;
      await trellis.rows(
        `INSERT INTO outbox (queue, name, payload, run_at, enqueued_at, failed_at) VALUES
           ($1, 'a', '{}', now() - interval '200 s', NULL, NULL),
           ($1, 'a', '{}', now() + interval '1 day', NULL, NULL),
           ($1, 'a', '{}', now() - interval '9 h', now(), NULL),
           ($1, 'a', '{}', now(), NULL, now() - interval '3 days')`,
        [own],
      );
      const { text } = await browser.get('/admin/jobs');
      const row = new RegExp(`<div>${own}</div>(.*?)</tr>`).exec(text)?.[1] ?? '';
      const cells = [...row.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, cell = '']) =>
        cell.replace(/<[^>]+>/g, ''),
      );
      expect(cells).toEqual(['1', '1 (3 min)', '1 (9 h)', '1 (3 d)']);
      expect(text).toContain('The queues are in PostgreSQL, which answers.');
    });

    it('in pages', async () => {
      const own = `queue-${unique()}`;
      await trellis.rows(
        `INSERT INTO outbox (queue, name, payload, error, failed_at)
         SELECT $1, 'many', '{}', 'failure ' || n, now() - n * interval '1 min'
           FROM generate_series(1, 45) n`,
        [own],
      );
      const seen: string[] = [];
      let path: string | undefined = `/admin/jobs?queue=${own}`;
      for (let page = 1; path !== undefined; page += 1) {
        const { text } = await browser.get(path);
        seen.push(...[...text.matchAll(/>failure (\d+)</g)].map(([, number = '']) => number));
        expect(text.includes('>Newer</a>')).toBe(page > 1);
        path = /<a href="([^"]+)">Older/.exec(text)?.[1]?.replaceAll('&amp;', '&');
      }
      expect(seen).toEqual(Array.from({ length: 45 }, (_, index) => String(index + 1)));
      const beyond = await browser.get(`/admin/jobs?queue=${own}&page=999999999&per_page=100000`);
      expect(beyond.status).toBe(200);
      expect(beyond.text).toContain('None.');
    });

    it('in any state except completed', async () => {
      const [waiting] = await trellis.rows<{ id: string }>(
        `INSERT INTO outbox (queue, name, payload) VALUES ('a', 'b', '{"long": 1}') RETURNING id`,
      );
      const { text } = await browser.get(`/admin/jobs/${waiting?.id ?? ''}`);
      expect(text).toContain('waits for its queue');
      expect(text).not.toContain('>Retry<');
      for (const id of ['999999999999', 'none', '9007199254740993', '-1']) {
        const { status } = await browser.get(`/admin/jobs/${id}`);
        expect([id, [400, 404].includes(status)]).toEqual([id, true]);
      }
    });

    it('without data that is too long', async () => {
      const id = await addFailedJob('Error', { text: 'x'.repeat(70_000) });
      expect((await browser.get(`/admin/jobs/${id}`)).text).toContain('Too long to be shown.');
      expect(rowsOf((await browser.get(`/admin/jobs?queue=${queue}`)).text)).toBeGreaterThan(1);
    });
  });

  describe('shows deliveries of all hooks', () => {
    const list = async (query = '') => {
      const { status, text } = await browser.get(`/admin/deliveries${query}`);
      expect(status).toBe(200);
      const ids = [...text.matchAll(/<a href="\/admin\/deliveries\/(\d+)"/g)].map(([, id]) => id);
      return { text, ids };
    };

    it('selected by state, hook, project, event and time', async () => {
      const pending = await hooks.queue(hook);
      const other = await hooks.queue(await hooks.hook('http://other.example.com/'));
      const old = await hooks.queue(hook);
      await trellis.rows(
        `UPDATE hook_deliveries SET created_at = '2026-01-02T03:04:05Z' WHERE id = $1`,
        [old],
      );
      expect((await list()).ids).toEqual(expect.arrayContaining([pending, other, delivery]));
      const ofHook = `?hook=${hook}`;
      expect((await list(ofHook)).ids).toEqual([old, pending, delivery]);
      expect((await list(`${ofHook}&state=pending&event=`)).ids).toEqual([old, pending]);
      expect((await list(`${ofHook}&state=failed`)).ids).toEqual([delivery]);
      expect((await list(`?project=${project.fullPath}&state=failed`)).ids).toEqual([delivery]);
      expect((await list(`?project=${project.id}`)).ids).toEqual([old, pending, delivery]);
      expect((await list('?project=no/such')).ids).toEqual([]);
      expect((await list(`${ofHook}&event=issue`)).ids).toHaveLength(3);
      expect((await list(`${ofHook}&event=push`)).ids).toEqual([]);
      expect((await list('?from=2026-01-02T03:04&to=2026-01-02T03:05')).ids).toEqual([old]);
      expect((await list(`${ofHook}&to=2026-01-02T03:05`)).ids).toEqual([old]);
      expect((await list('?state=failed')).ids).toContain(delivery);
      expect((await list('?event=issue')).ids).toEqual(expect.arrayContaining([other, delivery]));
      expect((await list('?state=delivered')).ids).not.toContain(delivery);
      expect((await browser.get('/admin/deliveries?state=lost')).status).toBe(400);
      expect((await browser.get('/admin/deliveries?from=yesterday')).status).toBe(400);
    });

    it.each([
      ['all', ''],
      ['failed', 'state=failed&'],
    ])('in pages that neither repeat nor omit one (%s)', async (_, query) => {
      const crowded = await hooks.hook('http://crowded.example.com/');
      await hooks.queue(crowded, {}, 120);
      await trellis.rows(`UPDATE hook_deliveries SET state = 'failed' WHERE hook_id = $1`, [
        crowded,
      ]);
      // Some at the same moment, and in an order of times other than that of their IDs.
      await trellis.rows(
        `UPDATE hook_deliveries SET created_at = '2026-02-01'::timestamptz + (id % 7) * interval '1 ms'
          WHERE hook_id = $1`,
        [crowded],
      );
      const seen: string[] = [];
      const range = 'from=2026-02-01T00:00:00&to=2026-02-01T00:01:00';
      let path: string | undefined = `/admin/deliveries?${query}${range}`;
      let count = 0;
      while (path !== undefined) {
        const { text } = await browser.get(path);
        seen.push(...[...text.matchAll(/"\/admin\/deliveries\/(\d+)"/g)].map(([, id = '']) => id));
        path = /<a href="([^"]+)">Older/.exec(text)?.[1]?.replaceAll('&amp;', '&');
        count += 1;
      }
      expect(count).toBe(3);
      expect(seen).toHaveLength(120);
      expect(new Set(seen).size).toBe(120);
      await trellis.rows('DELETE FROM hooks WHERE id = $1', [crowded]);
    });

    it('with request and answer, without secrets', async () => {
      const { text } = await browser.get(`/admin/deliveries/${delivery}`);
      expect(text).toContain('X-Gitlab-Event: Issue Hook');
      expect(text).toContain('X-Gitlab-Token: [redacted]');
      expect(text).toContain('set-cookie: [redacted]');
      expect(text).toContain('out of order &lt;b>');
      expect(text).toContain('The receiver answered 500');
      expect(text).toContain('&quot;object_kind&quot;: &quot;issue&quot;');
      expect(text).toContain('http://mia:***@receiver.example.com/path');
      const listed = await list(`?hook=${hook}`);
      expect(listed.text).toContain('http://mia:***@receiver.example.com/path');
      expect(text + listed.text).not.toContain(SECRET);
      expect((await browser.get('/admin/deliveries/999999999999')).status).toBe(404);
    });

    it('with deeply nested answers as they are', async () => {
      const nested = await failedDelivery();
      const answer = `${'['.repeat(1_000)}${'0,'.repeat(1_000)}0${']'.repeat(1_000)}`;
      await trellis.rows('UPDATE hook_deliveries SET response_body = $2 WHERE id = $1', [
        nested,
        answer,
      ]);
      const { text } = await browser.get(`/admin/deliveries/${nested}`);
      expect(text).toContain(answer);
      expect(text.length).toBeLessThan(20_000);
    });

    it('without secret parameters of addresses', async () => {
      const secretHook = await hooks.hook(`http://receiver.example.com/?token=${SECRET}`);
      const id = await hooks.queue(secretHook);
      for (const path of [`/admin/deliveries?hook=${secretHook}`, `/admin/deliveries/${id}`]) {
        const { text } = await browser.get(path);
        expect(text).toContain('http://receiver.example.com/?token=[redacted]');
        expect(text).not.toContain(SECRET);
      }
    });

    it('with the beginning of long requests', async () => {
      const long = await failedDelivery({ text: 'x'.repeat(100_000) });
      const { text } = await browser.get(`/admin/deliveries/${long}`);
      expect(text).toContain('The beginning of 100,011 characters.');
      expect(text.length).toBeLessThan(80_000);
    });

    it('with a constant number of statements', async () => {
      const countOf = (path: string) =>
        trellis.statements.during(() => browser.get(path)).then(({ length }) => length);
      const few = await countOf(`/admin/deliveries?hook=${hook}`);
      await hooks.queue(hook, {}, 30);
      expect(await countOf(`/admin/deliveries?hook=${hook}`)).toBe(few);
      expect(few).toBeLessThan(4);
    });
  });

  it('shows the processes, and those whose lease has expired', async () => {
    const processes = trellis.app.get(ProcessesRepository);
    const host = `host-${unique()}`;
    const report = {
      ...{ role: 'worker' as const, version: '9.8.7', host, pid: 4711, startedAt: new Date() },
      ...{ memoryBytes: 3 * 1024 ** 2, eventLoopDelayMs: 2.34, connectionsUsed: 3 },
      ...{ connectionsWaiting: 2, connectionsLimit: 10 },
    };
    const alive = '00000000-0000-4000-8000-00000000000a';
    const expired = '00000000-0000-4000-8000-00000000000b';
    const lease = { machine: 'm', leaseMs: 15_000, nextEpoch: 1 };
    const patient = '00000000-0000-4000-8000-00000000000c';
    const long = { ...lease, leaseMs: 600_000 };
    await processes.renew({ ...report, id: alive }, long);
    await processes.renew({ ...report, id: expired }, lease);
    await processes.renew({ ...report, id: patient }, long);
    await trellis.rows(
      `UPDATE processes SET renewed_at = now() - interval '70 s' WHERE id = ANY($1)`,
      [[expired, patient]],
    );
    const { text } = await browser.get('/admin/processes');
    for (const cell of ['4711', '9.8.7', host, '3.0 MiB', '2.3 ms', '3 of 10, 2 waiting']) {
      expect(text).toContain(`<div>${cell}</div>`);
    }
    expect(text.match(/<strong class="bad">1 min ago<\/strong>/g)).toHaveLength(1);
    expect(text.match(/<div>1 min ago<\/div>/g)).toHaveLength(1);
    expect((await browser.get('/admin')).text).toContain('1 without a sign');
    for (const id of [alive, expired, patient]) await processes.remove(id);
  });

  it('shows storages with their room and repositories', async () => {
    // Other suites of the shared service have measured theirs.
    await trellis.rows('DELETE FROM project_sizes');
    const { text } = await browser.get('/admin/storages');
    expect(text).toContain('<div>default</div>');
    expect(text).toContain(`<code>${trellis.dataDir}/repositories</code>`);
    expect(text).toMatch(/\d+\.\d [KMGT]iB \(\d+ %\)/);
    expect(text).toContain('not measured');
    await trellis.rows(
      'INSERT INTO project_sizes (project_id, repository_bytes, uploads_bytes) VALUES ($1, $2, 0)',
      [project.id, 3 * 1024 ** 2],
    );
    const measured = await browser.get('/admin/storages');
    expect(measured.text).toMatch(/3\.0 MiB(?: \(1 measured\))?<\/div>/);
  });

  describe('shows the audit log', () => {
    let person: Person;

    beforeAll(async () => {
      person = await trellis.factories.user();
      const { user } = person;
      await trellis.rows(
        `INSERT INTO audit_events (action, author_id, author_name, administrator_id, administrator_name,
                                   target_type, target_id, target_name, ip, details, created_at)
         SELECT CASE n WHEN 1 THEN 'hook.added' ELSE 'user.renamed' END, $1::int, $2::text, 1, 'chief',
                'user', $1::int, '<b>' || $2::text, '203.0.113.7', '{"from": "a<i>", "to": ["b"]}',
                '2026-03-04T05:06:00Z'::timestamptz + n * interval '1 min'
           FROM generate_series(1, 25) n`,
        [user.id, user.username],
      );
    });

    const countOf = async (query: string) => {
      const { status, text } = await browser.get(`/admin/audit?${query}`);
      expect(status).toBe(200);
      return { text, count: (text.match(/<tr /g)?.length ?? 1) - 1 };
    };

    it('selected by author, action, target, address and time', async () => {
      const { id, username } = person.user;
      const author = `author=${username}`;
      expect((await countOf(`${author}&per_page=100`)).count).toBe(25);
      expect((await countOf(`author=${id}&per_page=100`)).count).toBe(25);
      expect((await countOf('author=no-such-user')).count).toBe(0);
      expect((await countOf(`${author}&action=hook.added&target=`)).count).toBe(1);
      const target = `target=user&target_id=${id}&per_page=100`;
      expect((await countOf(`${target}&action=user.renamed`)).count).toBe(24);
      expect((await countOf(`${author}&address=203.0.113.8`)).count).toBe(0);
      const range = 'from=2026-03-04T05:06&to=2026-03-04T05:08';
      expect((await countOf(`${author}&${range}&address=203.0.113.7`)).count).toBe(1);
      expect((await browser.get('/admin/audit?address=nowhere')).status).toBe(400);
    });

    it('in pages, with sudo, and with texts as they are', async () => {
      const { username } = person.user;
      const { text, count } = await countOf(`author=${username}`);
      expect(count).toBe(20);
      expect(text).toContain(' (chief by sudo)');
      expect(text).toContain('from: a&lt;i>, to: [&quot;b&quot;]');
      expect(text).toContain(`user &lt;b>${username}`);
      const older = /<a href="([^"]+)">Older/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
      expect((await countOf(older.replace('/admin/audit?', ''))).count).toBe(5);
    });
  });

  describe('draws charts', () => {
    const PERIOD_MS = 300_000;
    const processId = '00000000-0000-4000-8000-00000000000c';
    const figures = {
      ...{ processId, role: 'api' as const, requests: 12_345, serverErrors: 2 },
      ...{ meanDurationMs: 20, slowDurationMs: 1_500, eventLoopDelayMs: 1, memoryBytes: 1024 ** 3 },
      ...{ jobsDone: 3, jobsFailed: 4, deliveriesDone: 5, deliveriesFailed: 6 },
    };
    const addStatistics = (periodsAgo: number, change: { requests?: number } = {}) => {
      const periodStart = new Date((Math.floor(Date.now() / PERIOD_MS) - periodsAgo) * PERIOD_MS);
      const statistics = { ...figures, ...change, periodStart };
      return trellis.app.get(ProcessStatisticsRepository).add(statistics);
    };
    const labelsOf = (text: string, axis: string) => {
      const [, found = ''] = new RegExp(`<p class="${axis}"[^>]*>(.*?)</p>`).exec(text) ?? [];
      return [...found.matchAll(/<span>(.*?)<\/span>/g)].map(([, label]) => label);
    };

    afterEach(() =>
      trellis.rows('DELETE FROM process_statistics WHERE process_id = $1', [processId]),
    );

    it('of the last day, with axes, the latest and the greatest values, and a table', async () => {
      await addStatistics(270);
      await addStatistics(3, { requests: 7 });
      const { text } = await browser.get('/admin');
      expect(text).toContain(
        'aria-label="Requests in five minutes in the last 24 hours. requests: latest 7, at most 12,345; ' +
          'answered with 5xx: latest 2, at most 2."',
      );
      expect(text).toContain('95th percentile: latest 1.5 s, at most 1.5 s');
      expect(text).toContain('<div>12,345</div>');
      expect(text.match(/<svg /g)).toHaveLength(6);
      expect(labelsOf(text, 'value-axis')).toEqual(['20,000', '10,000', '0']);
      expect(labelsOf(text, 'time-axis')).toEqual(['24 h ago', '12 h ago', 'now']);
    });

    it('of the first hours of a young instance', async () => {
      await addStatistics(30);
      const { text } = await browser.get('/admin');
      expect(text).toContain('Requests in five minutes in the last 4 hours');
      expect(labelsOf(text, 'time-axis')).toEqual(['4 h ago', '2 h ago', 'now']);
    });
  });

  it('has pages that run no scripts and load nothing from elsewhere', async () => {
    for (const path of pages()) {
      const { headers, text } = await browser.get(path);
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('cache-control')).toBe('private, no-store');
      expect(text).not.toMatch(/<script| style=| on\w+=/);
    }
  });
});
