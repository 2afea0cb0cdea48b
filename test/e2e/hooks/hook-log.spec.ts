import { expectByRole, MASTERS } from '../../support/by-role.js';
import { type Cast, makeCast } from '../../support/cast.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { HookDeliveries } from '../../support/hook-deliveries.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
const NOWHERE = 2_000_000_000;
const URL = 'https://receiver.example.com/';

interface Listed {
  id: number;
}

describe('The log of deliveries', () => {
  let trellis: Trellis;
  let hooks: HookDeliveries;
  let owner: Person;
  let admin: Person;
  let cast: Cast;
  let project: MadeProject;
  let hook: number;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    hooks = new HookDeliveries(trellis);
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    admin = await trellis.factories.admin();
    cast = await makeCast(trellis);
  });
  afterEach(() => trellis.rows('DELETE FROM hooks WHERE project_id IS NULL'));

  beforeEach(async () => {
    project = await trellis.factories.project(owner);
    hook = await hooks.hook(URL, { projectId: project.id });
  });

  const at = (id: number | string = hook, of = project.id) =>
    `/projects/${String(of)}/hooks/${String(id)}/deliveries`;
  const one = (id: number | string, of?: number) => `${at(of)}/${String(id)}`;
  /** A delivery in the state that its columns say. */
  const made = async (columns: Record<string, unknown> = {}, of = hook): Promise<number> => {
    const id = await hooks.queue(of);
    for (const [name, value] of Object.entries(columns)) {
      await trellis.rows(`UPDATE hook_deliveries SET ${name} = $2 WHERE id = $1`, [id, value]);
    }
    return Number(id);
  };
  const listed = async (query = '', path = at()) => {
    const { body } = await trellis.as(owner).get(`${path}${query}`).expect(200);
    return (body as Listed[]).map(({ id }) => id);
  };
  /** One hook with one delivery in each project of the cast. */
  const inCast = async (): Promise<ReadonlyMap<number, { hook: number; delivery: number }>> => {
    const entries = Object.values(cast.projects).map(async ({ id }) => {
      const its = await hooks.hook(URL, { projectId: id });
      return [id, { hook: its, delivery: await made({}, its) }] as const;
    });
    return new Map(await Promise.all(entries));
  };

  describe('as a list', () => {
    it('requires a credential, known parameters and a hook of the project', async () => {
      await trellis.anonymous.get(at()).expect(401);
      const client = trellis.as(owner);
      await client.get(`${at()}?page=x`).expect(400, { error: 'page is invalid' });
      await client
        .get(`${at()}?status=lost`)
        .expect(400, { error: 'status does not have a valid value' });
      await client
        .get(`${at()}?event=system`)
        .expect(400, { error: 'event does not have a valid value' });
      await client.get(at('first')).expect(400, { error: 'hook_id is invalid' });
      await client.get(at(NOWHERE)).expect(404, { message: '404 Not found' });
      await client.get(at(hook, NOWHERE)).expect(404, { message: '404 Project Not Found' });
      const elsewhere = await trellis.factories.project(owner);
      await client.get(at(hook, elsewhere.id)).expect(404, { message: '404 Not found' });
      const ofInstance = await hooks.hook(URL);
      await client.get(at(ofInstance)).expect(404, { message: '404 Not found' });
    });

    it('is limited to masters', async () => {
      const places = await inCast();
      await expectByRole(
        trellis,
        cast,
        (client, { id }) => client.get(at(places.get(id)?.hook, id)),
        MASTERS,
      );
    });

    it('lists the newest first, in pages, with two statements for any size', async () => {
      const first = await made();
      const few = await trellis.statements.during(() => listed());
      const ids = [first];
      for (let count = 0; count < 4; count += 1) ids.unshift(await made());
      await made({}, await hooks.hook(URL, { projectId: project.id }));
      expect(await listed()).toEqual(ids);
      expect(await listed('?per_page=2&page=2')).toEqual(ids.slice(2, 4));
      expect(await trellis.statements.during(() => listed())).toHaveLength(few.length);
    });

    it('shows the result of each delivery', async () => {
      const waiting = await made();
      const failed = await made({
        state: 'failed',
        attempts: 11,
        attempted_at: new Date(),
        response_status: 503,
        duration_ms: 12,
        cause: 'status',
        message: 'The receiver answered 503',
        finished_at: new Date(),
      });
      const { body } = await trellis.as(owner).get(at()).expect(200);
      const common = {
        webhook_id: expect.stringMatching(/^msg_[0-9a-f]{32}$/) as string,
        event: 'issue',
        created_at: TIMESTAMP,
        next_attempt_at: null,
      };
      expect(body).toEqual([
        {
          ...common,
          id: failed,
          status: 'failed',
          attempts: 11,
          response_status: 503,
          duration_ms: 12,
          cause: 'status',
          message: 'The receiver answered 503',
          attempted_at: TIMESTAMP,
          finished_at: TIMESTAMP,
        },
        {
          ...common,
          id: waiting,
          status: 'pending',
          attempts: 0,
          response_status: null,
          duration_ms: null,
          cause: null,
          message: null,
          attempted_at: null,
          finished_at: null,
        },
      ]);
    });

    it('filters by status and kind of event', async () => {
      const waiting = await made();
      const delivered = await made({ state: 'delivered' });
      const pushed = await made({ state: 'failed', kind: 'push' });
      const failed = await made({ state: 'failed' });
      expect(await listed('?status=pending')).toEqual([waiting]);
      expect(await listed('?status=delivered')).toEqual([delivered]);
      expect(await listed('?status=failed')).toEqual([failed, pushed]);
      expect(await listed('?event=issue')).toEqual([failed, delivered, waiting]);
      expect(await listed('?status=failed&event=push')).toEqual([pushed]);
      expect(await listed('?event=wiki_page')).toEqual([]);
    });
  });

  describe('of one delivery', () => {
    it('requires a credential, an id and a delivery of the hook', async () => {
      const id = await made();
      await trellis.anonymous.get(one(id)).expect(401);
      const client = trellis.as(owner);
      await client.get(one('msg_1')).expect(400, { error: 'delivery_id is invalid' });
      const other = await hooks.hook(URL, { projectId: project.id });
      for (const absent of [NOWHERE, '4611686018427387904', '99999999999999999999', 0]) {
        await client.get(one(absent)).expect(404, { message: '404 Not found' });
      }
      await client.get(one(id, other)).expect(404, { message: '404 Not found' });
    });

    it('is limited to masters', async () => {
      const places = await inCast();
      await expectByRole(
        trellis,
        cast,
        (client, { id }) => {
          const place = places.get(id);
          return client.get(`${at(place?.hook, id)}/${String(place?.delivery)}`);
        },
        MASTERS,
      );
    });

    it('shows request and response, also for ids beyond those of other tables', async () => {
      const answered = await made({
        state: 'delivered',
        request_headers: { 'webhook-id': 'msg_1' },
        response_headers: { server: 'receiver' },
        response_body: 'Thanks',
      });
      const id = 5_000_000_000;
      await trellis.rows(
        `WITH event AS (UPDATE hook_events SET body = '{"a": 1}'
                        WHERE id = (SELECT event_id FROM hook_deliveries WHERE id = $1))
         UPDATE hook_deliveries SET id = $2 WHERE id = $1`,
        [answered, id],
      );
      const { body } = await trellis.as(owner).get(one(id)).expect(200);
      expect(body).toMatchObject({
        id,
        status: 'delivered',
        request_headers: { 'webhook-id': 'msg_1' },
        request_body: '{"a": 1}',
        response_headers: { server: 'receiver' },
        response_body: 'Thanks',
      });
    });

    it('has no request before the first attempt', async () => {
      const { body } = await trellis
        .as(owner)
        .get(one(await made()))
        .expect(200);
      expect(body).toMatchObject({
        request_headers: null,
        request_body: null,
        response_headers: null,
        response_body: null,
      });
    });
  });

  describe('of a hook of the instance', () => {
    const atInstance = (id: number | string) => `/hooks/${String(id)}/deliveries`;

    it('is limited to administrators', async () => {
      const id = await hooks.hook(URL);
      await trellis.anonymous.get(atInstance(id)).expect(401);
      await trellis.as(owner).get(atInstance(id)).expect(403);
      const client = trellis.as(admin);
      await client
        .get(`${atInstance(id)}?event=issue`)
        .expect(400, { error: 'event does not have a valid value' });
      await client.get(atInstance(NOWHERE)).expect(404, { message: '404 System hook Not Found' });
      await client.get(atInstance(hook)).expect(404, { message: '404 System hook Not Found' });
    });

    it('is listed, read and repeated', async () => {
      const its = await hooks.hook(URL);
      const id = await made({ state: 'failed', kind: 'system' }, its);
      await made({ kind: 'push' }, its);
      const client = trellis.as(admin);
      const { body } = await client.get(`${atInstance(its)}?event=system`).expect(200);
      expect((body as Listed[]).map((delivery) => delivery.id)).toEqual([id]);
      const path = `${atInstance(its)}/${String(id)}`;
      await trellis.as(owner).get(path).expect(403);
      await trellis.as(owner).post(`${path}/redeliver`).expect(403);
      expect((await client.get(path).expect(200)).body).toMatchObject({ id, event: 'system' });
      const { body: repeated } = await client.post(`${path}/redeliver`).expect(200);
      expect(repeated).toMatchObject({ id, status: 'pending' });
      await client.post(`${atInstance(its)}/${String(NOWHERE)}/redeliver`).expect(404);
    });
  });
});
