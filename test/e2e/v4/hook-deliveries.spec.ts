import { runJobsOf, untilJobsRan } from '../../support/due-jobs.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { type Answering, type Delivery, Receiver } from '../../support/receiver.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface Made {
  id: number;
}

describe('deliveries of version 4', () => {
  let trellis: Trellis;
  let owner: Person;
  let project: MadeProject;
  let receiver: Receiver;
  let answer: Answering;

  beforeAll(async () => {
    trellis = await Trellis.shared({ runsJobs: true });
    owner = await trellis.factories.user({ projectsLimit: 100 });
  });
  beforeEach(async () => {
    project = await trellis.factories.project(owner);
    answer = (response) => response.writeHead(200).end('Thanks');
    receiver = await Receiver.start((response, count, delivery) => {
      answer(response, count, delivery);
    });
  });
  afterEach(() => receiver.stop());
  afterAll(() => trellis.restore());

  const at = (rest = '') => `/projects/${String(project.id)}/hooks${rest}`;
  const v4 = () => trellis.as(owner).v4;
  const issue = (title: string) =>
    trellis
      .as(owner)
      .post(`/projects/${String(project.id)}/issues`, { title })
      .expect(200);
  const addHook = async (more: object = {}, path = ''): Promise<number> => {
    const body = { url: receiver.url + path, push_events: false, issues_events: true, ...more };
    return ((await v4().post(at(), body).expect(201)).body as Made).id;
  };
  const received = async (count: number): Promise<Delivery> => {
    const all = await receiver.received(count);
    return all[count - 1] as Delivery;
  };
  const delivered = (hookId: number, count: number) =>
    untilJobsRan(trellis, async () => {
      const rows = await trellis.rows<{ id: string; request_headers: object }>(
        `SELECT id, request_headers FROM hook_deliveries
          WHERE hook_id = $1 AND state <> 'pending' ORDER BY id`,
        [hookId],
      );
      return rows.length >= count && rows;
    });

  it('have headers that identify event, hook and instance, and those of version 3 do not', async () => {
    const [one, other] = [await addHook({ token: 'shared-secret' }), await addHook()];
    await trellis
      .as(owner)
      .post(at(), { url: `${receiver.url}/v3`, push_events: false, issues_events: true })
      .expect(200);
    await issue('First');
    await received(3);
    const older = receiver.deliveries.find(({ path }) => path === '/v3') as Delivery;
    const [first, second] = receiver.deliveries.filter(({ path }) => path !== '/v3');
    const names = ['idempotency-key', 'x-gitlab-event-uuid', 'x-gitlab-webhook-uuid'] as const;
    for (const { headers } of [first, second] as Delivery[]) {
      expect(headers).toMatchObject({
        'x-gitlab-event': 'Issue Hook',
        'x-gitlab-instance': trellis.url,
        'idempotency-key': headers['webhook-id'],
        'x-gitlab-event-uuid': expect.stringMatching(UUID) as string,
        'x-gitlab-webhook-uuid': expect.stringMatching(UUID) as string,
      });
    }
    const [event, hook] = [names[1], names[2]];
    expect(first?.headers[event]).toBe(second?.headers[event]);
    expect(first?.headers[hook]).not.toBe(second?.headers[hook]);
    for (const name of [...names, 'x-gitlab-instance'])
      expect(older.headers).not.toHaveProperty(name);
    expect(JSON.parse(older.body)).not.toHaveProperty('event_type');
    expect(JSON.parse(first?.body ?? '')).toHaveProperty('event_type', 'issue');
    const tokens = receiver.deliveries.map(({ headers }) => headers['x-gitlab-token']);
    expect(tokens.filter((token) => token !== undefined)).toEqual(['shared-secret']);
    const rows = await trellis.rows<{ id: number; uuid: string }>(
      'SELECT id, uuid FROM hooks WHERE id = ANY($1)',
      [[one, other]],
    );
    const uuids = [first, second].map((each) => each?.headers[hook]);
    expect(rows.map(({ uuid }) => uuid).sort()).toEqual(uuids.sort());
  });

  it('leave jobs that workers of older versions do not know', async () => {
    const seen = new Set<string>();
    await trellis.rows(`
      CREATE TABLE seen_jobs (name text);
      CREATE FUNCTION see_job() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN INSERT INTO seen_jobs VALUES (NEW.name); RETURN NEW; END $$;
      CREATE TRIGGER see_job AFTER INSERT ON outbox FOR EACH ROW EXECUTE FUNCTION see_job()`);
    try {
      const hookId = await addHook();
      await issue('First');
      await delivered(hookId, 1);
      const plain = { url: receiver.url, push_events: false, issues_events: true };
      const { body } = await trellis.as(owner).post(at(), plain).expect(200);
      await issue('Second');
      await delivered((body as Made).id, 1);
      await v4()
        .put(at(`/${String((body as Made).id)}/custom_headers/X-Key`), { value: 'v' })
        .expect(204);
      await v4()
        .delete(at(`/${String(hookId)}`))
        .expect(204);
      await trellis.rows(`INSERT INTO seen_jobs VALUES ('then')`);
      await issue('Third');
      await delivered((body as Made).id, 2);
      for (const { name } of await trellis.rows<{ name: string }>('SELECT name FROM seen_jobs')) {
        if (name === 'then') {
          expect([...seen].sort()).toEqual(['deliver', 'deliver-v4']);
          seen.clear();
        } else if (name.startsWith('deliver')) seen.add(name);
      }
      expect([...seen]).toEqual(['deliver-v4']);
    } finally {
      await trellis.rows(`
        DROP TRIGGER see_job ON outbox;
        DROP FUNCTION see_job();
        DROP TABLE seen_jobs`);
    }
  });

  it('have custom headers and the values of variables, which the log leaves out', async () => {
    const secret = 'a-long-secret';
    answer = (response, _, delivery) => {
      response.writeHead(200).end(`${String(delivery.headers['x-api-key'])} ${delivery.path}`);
    };
    const hookId = await addHook(
      {
        custom_headers: [
          { key: 'X-Api-Key', value: secret },
          { key: 'authorization', value: 'Bearer mine' },
        ],
        url_variables: [{ key: 'room', value: 'hidden-room' }],
      },
      '/in/{room}?x={other}',
    );
    await issue('First');
    const { headers, path } = await received(1);
    expect(path).toBe('/in/hidden-room?x={other}');
    expect(headers).toMatchObject({ 'x-api-key': secret, authorization: 'Bearer mine' });
    await delivered(hookId, 1);
    const events = await v4()
      .get(at(`/${String(hookId)}/events`))
      .expect(200);
    expect(events.body).toMatchObject([
      {
        url: `${receiver.url}/in/{room}?x={other}`,
        trigger: 'issue_hooks',
        request_data: { object_kind: 'issue', event_type: 'issue' },
        response_status: '200',
        response_body: '[redacted] /in/[redacted]?x={other}',
        execution_duration: expect.any(Number) as number,
      },
    ]);
    const log = await trellis.rows('SELECT * FROM hook_deliveries WHERE hook_id = $1', [hookId]);
    expect(JSON.stringify(log)).not.toMatch(/a-long-secret|hidden-room|Bearer mine/);
    const audit = await trellis.rows(
      `SELECT details FROM audit_events WHERE target_type = 'hook' AND target_id = $1`,
      [hookId],
    );
    expect(JSON.stringify(audit)).not.toMatch(/a-long-secret|hidden-room/);
  });

  it('keep secrets from another server that an older version has put into the URL', async () => {
    const hookId = await addHook({ custom_headers: [{ key: 'X-Api-Key', value: 'mine-alone' }] });
    const elsewhere = await Receiver.start();
    try {
      // As a process does that knows neither headers nor variables.
      await trellis.rows('UPDATE hooks SET url = $2 WHERE id = $1', [hookId, elsewhere.url]);
      await issue('First');
      const [delivery] = await elsewhere.received(1);
      expect(delivery?.headers).not.toHaveProperty('x-api-key');
    } finally {
      await elsewhere.stop();
    }
  });

  it('of tests are made at once, and fail with the body of the response', async () => {
    const hookId = await addHook();
    const path = at(`/${String(hookId)}/test`);
    const none = await v4().post(`${path}/push_events`).expect(422);
    expect(none.body).toEqual({ message: 'Ensure the project has commits.' });
    const texts = new Map([
      ['tag_push_events', 'the project has tags'],
      ['issues_events', 'the project has issues'],
      ['confidential_issues_events', 'the project has confidential issues'],
      ['note_events', 'the project has notes'],
      ['confidential_note_events', 'the project has confidential notes'],
      ['merge_requests_events', 'the project has merge requests'],
      ['job_events', 'the project has CI jobs'],
      ['pipeline_events', 'the project has CI pipelines'],
      ['wiki_page_events', 'the wiki is enabled and has pages'],
      ['releases_events', 'the project has releases'],
      ['emoji_events', 'the project has notes'],
    ]);
    for (const [trigger, needed] of texts) {
      const refused = await v4().post(`${path}/${trigger}`).expect(422);
      expect(refused.body).toEqual({ message: `Ensure ${needed}.` });
    }
    const issues = `/projects/${String(project.id)}/issues`;
    const secret = await v4().post(issues, { title: 'Secret', confidential: true }).expect(201);
    const { iid } = secret.body as { iid: number };
    await v4()
      .post(`${issues}/${String(iid)}/notes`, { body: 'Well' })
      .expect(201);
    const tested = await v4().post(`${path}/confidential_issues_events`).expect(201);
    expect(tested.body).toEqual({ message: '201 Created' });
    const { headers, body } = await received(1);
    expect(headers).toMatchObject({ 'x-gitlab-event': 'Confidential Issue Hook' });
    expect(JSON.parse(body)).toMatchObject({ object_attributes: { iid } });
    await v4().post(`${path}/confidential_note_events`).expect(201);
    answer = (response) => response.writeHead(500).end('Not today');
    const failed = await v4().post(`${path}/confidential_issues_events`).expect(422);
    expect(failed.body).toEqual({ message: 'Not today' });
    const unknown = await v4().post(`${path}/moon_events`).expect(400);
    expect(unknown.body).toEqual({ error: 'trigger does not have a valid value' });
    // The jobs for the case that the process dies find nothing to do.
    await runJobsOf(trellis, 'hooks');
    expect(receiver.deliveries).toHaveLength(3);
    const rows = await trellis.rows(
      'SELECT state, attempts FROM hook_deliveries WHERE hook_id = $1 ORDER BY id',
      [hookId],
    );
    expect(rows).toEqual([
      { state: 'delivered', attempts: 1 },
      { state: 'delivered', attempts: 1 },
      { state: 'failed', attempts: 1 },
    ]);
  });

  it('of tests are made by a worker, if the process dies before it does', async () => {
    const hookId = await addHook();
    await issue('First');
    await delivered(hookId, 1);
    answer = (response) => response.destroy();
    const cut = await v4()
      .post(at(`/${String(hookId)}/test/issues_events`))
      .expect(422);
    expect((cut.body as { message: string }).message).not.toBe('');
    const jobs = await trellis.rows(
      `SELECT name, run_at - now() > interval '30 s' AS waits FROM outbox WHERE queue = 'hooks'`,
    );
    expect(jobs).toEqual([{ name: 'deliver-v4', waits: true }]);
    // As a process leaves it that is killed before the attempt.
    await trellis.rows(
      `UPDATE hook_deliveries SET state = 'pending', turn = 0, attempts = 0, finished_at = NULL
        WHERE hook_id = $1 AND state = 'failed'`,
      [hookId],
    );
    answer = (response) => response.writeHead(200).end();
    await runJobsOf(trellis, 'hooks');
    const sql = 'SELECT state, attempts FROM hook_deliveries WHERE hook_id = $1 ORDER BY id';
    expect(await trellis.rows(sql, [hookId])).toEqual([
      { state: 'delivered', attempts: 1 },
      { state: 'delivered', attempts: 1 },
    ]);
  });

  it('are listed by status, at most 20 a page, and sent again as they were', async () => {
    const hookId = await addHook();
    answer = (response, count) => response.writeHead(count === 1 ? 410 : 200).end('Well');
    await issue('First');
    await delivered(hookId, 1);
    const events = at(`/${String(hookId)}/events`);
    const list = async (query: string) =>
      (await v4().get(`${events}${query}`).expect(200)).body as { id: number }[];
    const [event] = await list('');
    const id = event?.id ?? 0;
    for (const [status, ids] of [
      ['client_failure', [id]],
      ['410', [id]],
      ['successful', []],
      ['server_failure', []],
      ['404', []],
    ] as const) {
      expect([status, (await list(`?status=${status}`)).map((each) => each.id)]).toEqual([
        status,
        ids,
      ]);
    }
    await v4().get(`${events}?status=some`).expect(400);
    const resent = await v4()
      .post(`${events}/${String(id)}/resend`)
      .expect(201);
    expect(resent.body).toEqual({ response_status: 200 });
    const [first, second] = receiver.deliveries as [Delivery, Delivery];
    for (const name of ['webhook-id', 'x-gitlab-event-uuid', 'x-gitlab-webhook-uuid'] as const) {
      expect([name, second.headers[name]]).toEqual([name, first.headers[name]]);
    }
    expect(second.body).toBe(first.body);
    expect((await list('?status=successful')).map((each) => each.id)).toEqual([id]);
    const hook = await v4().get(at(`/${String(hookId)}`));
    expect(hook.body).toMatchObject({ alert_status: 'executable' });
    await v4().post(`${events}/999999999/resend`).expect(404);
    await trellis.rows(
      `INSERT INTO hook_deliveries (hook_id, event_id, kind, message_id, state, attempted_at)
       SELECT hook_id, event_id, kind, message_id || n, 'delivered', now()
         FROM hook_deliveries, generate_series(1, 25) n WHERE hook_id = $1`,
      [hookId],
    );
    expect(await list('?per_page=100')).toHaveLength(20);
    expect(await list('?per_page=100&page=2')).toHaveLength(6);
  });
});
