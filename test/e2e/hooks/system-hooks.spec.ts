import type { Person } from '../../support/factories.js';
import { QueueingHook } from '../../support/hooks.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
const URL = 'http://receiver.example.com/';

describe('System hooks', () => {
  let trellis: Trellis;
  let admin: Person;
  let user: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
    user = await trellis.factories.user({ projectsLimit: 10 });
  });
  afterEach(() => trellis.rows('DELETE FROM hooks WHERE project_id IS NULL'));

  const make = async (body: object = {}) => {
    const made = await trellis
      .as(admin)
      .post('/hooks', { url: URL, ...body })
      .expect(200);
    return made.body as { id: number };
  };
  const one = (id: number | string) => `/hooks/${String(id)}`;

  it('are listed to administrators, newest first', async () => {
    await trellis.anonymous.get('/hooks').expect(401);
    await trellis.as(admin).get('/hooks?page=x').expect(400, { error: 'page is invalid' });
    await trellis.as(user).get('/hooks').expect(403, { message: '403 Forbidden' });
    const project = await trellis.factories.project(user);
    await trellis
      .as(user)
      .post(`/projects/${String(project.id)}/hooks`, { url: URL })
      .expect(200);
    const list = () => trellis.as(admin).get('/hooks').expect(200);
    const first = await make();
    const few = await trellis.statements.during(list);
    const second = await make();
    // Other suites of the batch may have left some.
    expect(((await list()).body as object[]).slice(0, 2)).toEqual([second, first]);
    expect(await trellis.statements.during(list)).toHaveLength(few.length);
  });

  it('are added with an address of http or https', async () => {
    await trellis.anonymous.post('/hooks', { url: URL }).expect(401);
    await trellis.as(admin).post('/hooks').expect(400, { error: 'url is missing' });
    const bad = { url: URL, push_events: 'x' };
    await trellis.as(admin).post('/hooks', bad).expect(400, { error: 'push_events is invalid' });
    await trellis.as(user).post('/hooks', { url: URL }).expect(403);
    const withControl = ['http://exa\tmple.com/', 'http://example.com/\u0007', `${URL}\nx`];
    for (const url of ['', 'receiver', 'ftp://receiver.example.com/', ...withControl]) {
      const { body } = await trellis.as(admin).post('/hooks', { url }).expect(400);
      expect(body).toEqual({ message: { url: ['must be a valid URL'] } });
    }
    const defaults = { push_events: true, tag_push_events: false, enable_ssl_verification: true };
    const shown = { id: expect.any(Number) as number, url: URL, created_at: TIMESTAMP };
    expect(await make()).toEqual({ ...shown, ...defaults });
    expect(await make({ url: ` \t${URL}\r\n ` })).toEqual({ ...shown, ...defaults });
    const flags = { push_events: false, tag_push_events: true, enable_ssl_verification: false };
    const made = await make({ ...flags, token: 'secret' });
    expect(made).toEqual({ ...shown, ...flags });
    const [row] = await trellis.rows('SELECT * FROM hooks WHERE id = $1', [made.id]);
    expect(row).toMatchObject({ project_id: null, token_sealed: expect.any(String) as string });
    expect(JSON.stringify(row)).not.toContain('secret');
  });

  it('send a sample', async () => {
    const { id } = await make();
    await trellis.anonymous.get(one(id)).expect(401);
    await trellis.as(admin).get(one('x')).expect(400, { error: 'hook_id is invalid' });
    await trellis.as(user).get(one(id)).expect(403);
    const absent = { message: '404 System hook Not Found' };
    await trellis.as(admin).get(one(2_000_000_000)).expect(404, absent);
    const hook = await QueueingHook.ofInstance(trellis, admin);
    const { body } = await trellis.as(admin).get(one(hook.id)).expect(200);
    expect(body).toMatchObject({ event_name: 'project_create', project_id: 1 });
    expect(await hook.queuedEvents()).toEqual([{ kind: 'system', body }]);
  });

  it('are enabled by a sample after they were disabled', async () => {
    const hook = await QueueingHook.ofInstance(trellis, admin);
    await trellis.rows(
      `UPDATE hooks SET disabled_at = now(), disabled_reason = 'gone' WHERE id = $1`,
      [hook.id],
    );
    await trellis.as(admin).get(one(hook.id)).expect(200);
    expect(await hook.queuedEvents()).toHaveLength(1);
    const stored = 'SELECT disabled_at, disabled_reason FROM hooks WHERE id = $1';
    expect(await trellis.rows(stored, [hook.id])).toEqual([
      { disabled_at: null, disabled_reason: null },
    ]);
  });

  it('are removed', async () => {
    const { id } = await make();
    await trellis.anonymous.delete(one(id)).expect(401);
    await trellis.as(admin).delete(one('x')).expect(400, { error: 'hook_id is invalid' });
    await trellis.as(user).delete(one(id)).expect(403);
    const { body } = await trellis.as(admin).delete(one(id)).expect(200);
    expect(body).toMatchObject({ id, url: URL });
    const again = trellis.as(admin).delete(one(id));
    await again.expect(404, { message: '404 System hook Not Found' });
    expect(await trellis.rows('SELECT 1 FROM hooks WHERE project_id IS NULL')).toEqual([]);
  });
});
