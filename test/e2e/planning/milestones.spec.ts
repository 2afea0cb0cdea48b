import { expectByRole, MASTERS } from '../../support/by-role.js';
import { type Cast, makeCast } from '../../support/cast.js';
import { type MadeProject, type Person, unique } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

interface MilestoneBody {
  id: number;
  iid: number;
  title: string;
  state: string;
  created_at: string;
  updated_at: string;
}

const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
const NOWHERE = { id: 2_000_000_000 };

describe('Milestones', () => {
  let trellis: Trellis;
  let owner: Person;
  let master: Person;
  let guest: Person;
  let project: MadeProject;
  let cast: Cast;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    master = await trellis.factories.user();
    guest = await trellis.factories.user();
    cast = await makeCast(trellis);
  });

  beforeEach(async () => {
    project = await trellis.factories.project(owner);
    await trellis.factories.addToProject(project, master, 40);
    await trellis.factories.addToProject(project, guest, 10);
  });

  const at = ({ id }: { id: number } = project) => `/projects/${String(id)}/milestones`;
  const one = (id: number | string, of: { id: number } = project) => `${at(of)}/${String(id)}`;
  const make = async (values: object = {}, of: { id: number } = project, by: Person = owner) => {
    const body = { title: unique(), ...values };
    return (await trellis.as(by).post(at(of), body).expect(200)).body as MilestoneBody;
  };
  /** A milestone in a project of the cast. */
  const makeIn = (place: { id: number }) => make({}, place, cast.people.owner as Person);
  const put = (id: number, body: object) => trellis.as(master).put(one(id), body);
  const listed = async (query = '') => {
    const { body } = await trellis.as(guest).get(`${at()}${query}`).expect(200);
    return (body as MilestoneBody[]).map(({ iid }) => iid);
  };

  describe('are created', () => {
    it('with a credential, a title, in a readable project, by masters', async () => {
      await trellis.anonymous.post(at(), {}).expect(401);
      const missing = await trellis.as(owner).post(at(NOWHERE), {}).expect(400);
      expect(missing.body).toEqual({ error: 'title is missing' });
      for (const name of ['due_date', 'start_date']) {
        for (const day of ['2017-02-30', 'tomorrow', '17', 'infinity', 20170101]) {
          const bad = { title: 'x', [name]: day };
          const { body } = await trellis.as(owner).post(at(NOWHERE), bad).expect(400);
          expect(body).toEqual({ error: `${name} is invalid` });
        }
      }
      await trellis.as(owner).post(at(NOWHERE), { title: 'x' }).expect(404);
      await trellis.as(guest).post(at(), { title: '' }).expect(403, { message: '403 Forbidden' });
      await expectByRole(
        trellis,
        cast,
        (client, { id }) => client.post(at({ id }), { title: unique() }),
        MASTERS,
      );
      expect(await listed()).toEqual([]);
    });

    it('with every field, in response and row', async () => {
      const { body } = await trellis
        .as(master)
        .post(at(), {
          title: '  Version 1.0 ',
          description: 'The *first*',
          due_date: '2017-03-31T22:00:00.000Z',
          start_date: '2017-03-30',
        })
        .expect(200);
      const values = {
        iid: 1,
        project_id: project.id,
        title: 'Version 1.0',
        description: 'The *first*',
        state: 'active',
        due_date: '2017-03-31',
        start_date: '2017-03-30',
      };
      const { id } = body as MilestoneBody;
      expect(body).toEqual({ id, ...values, created_at: TIMESTAMP, updated_at: TIMESTAMP });
      const [row] = await trellis.rows(
        `SELECT iid, project_id, title, description, state, due_date::text, start_date::text
         FROM milestones WHERE id = $1`,
        [id],
      );
      expect(row).toEqual(values);
    });

    it('without the optional fields, which may be missing, null or empty', async () => {
      const none = { description: null, due_date: null, start_date: null };
      for (const values of [{}, none, { due_date: '', start_date: '' }]) {
        expect(await make(values)).toMatchObject(none);
      }
      expect(await make({ start_date: '2017-01-01' })).toMatchObject({ due_date: null });
    });

    it('unless fields are invalid, and all errors are reported', async () => {
      const refused = async (values: object) => {
        const { body } = await trellis
          .as(master)
          .post(at(), { title: 'x', ...values })
          .expect(400);
        return (body as { message: object }).message;
      };
      const order = { start_date: ["Can't be greater than due date"] };
      for (const day of ['2017-01-01', '2016-12-31']) {
        expect(await refused({ start_date: '2017-01-01', due_date: day })).toEqual(order);
      }
      for (const title of ['', ' \t ']) {
        expect(await refused({ title })).toEqual({ title: ["can't be blank"] });
      }
      const long = { title: 'x'.repeat(256), description: 'x'.repeat(1_048_577) };
      const days = { start_date: '2017-01-02', due_date: '2017-01-01' };
      expect(await refused({ ...long, ...days })).toEqual({
        title: ['is too long (maximum is 255 characters)'],
        description: ['is too long (maximum is 1048576 characters)'],
        ...order,
      });
      await make({ title: '🎉'.repeat(255) });
      await make({ title: 'Taken' });
      expect(await refused({ title: ' Taken ' })).toEqual({ title: ['has already been taken'] });
      expect(await refused({ title: '<b>Taken</b>' })).toEqual({
        title: ['has already been taken'],
      });
      expect(await refused({ title: '<br/> ' })).toEqual({ title: ["can't be blank"] });
      await make({ title: 'taken' });
      await make({ title: 'Taken' }, await trellis.factories.project(owner));
    });

    it('without the HTML tags of their titles', async () => {
      const body = { title: ' <b onclick="x()">Next</b> <a href=y>release</a>' };
      expect(await make(body)).toMatchObject({ title: 'Next release' });
    });

    it('with consecutive numbers, also concurrently, and never reused', async () => {
      const made = await Promise.all(Array.from({ length: 8 }, () => make()));
      expect(made.map(({ iid }) => iid).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      const last = made.find(({ iid }) => iid === 8)!;
      await trellis.as(master).delete(one(last.id)).expect(200);
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => trellis.as(master).post(at(), { title: 'Race' })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400]);
      expect((await listed()).slice(0, 2)).toEqual([9, 7]);
    });
  });

  describe('are listed', () => {
    it('to every reader of the project', async () => {
      await trellis.anonymous.get(at()).expect(401);
      for (const [query, error] of [
        ['page=x', 'page is invalid'],
        ['state=open', 'state does not have a valid value'],
        ['state=ACTIVE', 'state does not have a valid value'],
        ['iid=x', 'iid is invalid'],
        ['iid[a]=1', 'iid is invalid'],
      ]) {
        const bad = await trellis
          .as(owner)
          .get(`${at(NOWHERE)}?${query}`)
          .expect(400);
        expect(bad.body).toEqual({ error });
      }
      const absent = await trellis.as(owner).get(at(NOWHERE)).expect(404);
      expect(absent.body).toEqual({ message: '404 Project Not Found' });
      await expectByRole(trellis, cast, (client, { id }) => client.get(at({ id })));
    });

    it('newest first, in pages, by state and by number', async () => {
      await trellis.as(guest).get(at()).expect(200, []);
      for (let count = 0; count < 5; count += 1) await make();
      const { id } = await make();
      await put(id, { state_event: 'close' }).expect(200);
      expect(await listed()).toEqual([6, 5, 4, 3, 2, 1]);
      expect(await listed('?state=all')).toEqual([6, 5, 4, 3, 2, 1]);
      expect(await listed('?state=active')).toEqual([5, 4, 3, 2, 1]);
      expect(await listed('?state=closed')).toEqual([6]);
      expect(await listed('?iid=4')).toEqual([4]);
      expect(await listed('?iid[]=2&iid[]=5&iid[]=77')).toEqual([5, 2]);
      expect(await listed('?iid=2,6&state=closed')).toEqual([6]);
      expect(await listed('?iid=')).toEqual([6, 5, 4, 3, 2, 1]);
      for (const iid of ['0', '-1', '77', '99999999999']) {
        expect(await listed(`?iid=${iid}`)).toEqual([]);
      }
      const page = await trellis.as(guest).get(`${at()}?per_page=2&page=3`).expect(200);
      expect((page.body as MilestoneBody[]).map(({ iid }) => iid)).toEqual([2, 1]);
      expect(page.headers).toMatchObject({ 'x-total': '6', 'x-next-page': '' });
    });

    it('with the same number of statements for any number', async () => {
      const list = () => trellis.as(guest).get(`${at()}?per_page=100`).expect(200);
      await make();
      const few = await trellis.statements.during(list);
      await trellis.rows(
        `INSERT INTO milestones (project_id, iid, title)
         SELECT $1, 1 + n, 'milestone ' || n FROM generate_series(1, 99) n`,
        [project.id],
      );
      expect(await trellis.statements.during(list)).toHaveLength(few.length);
      expect((await list()).body).toHaveLength(100);
    });
  });

  it('are read one by one by every reader of the project', async () => {
    const milestone = await make();
    await trellis.anonymous.get(one(milestone.id)).expect(401);
    const malformed = await trellis.as(owner).get(one('first', NOWHERE)).expect(400);
    expect(malformed.body).toEqual({ error: 'milestone_id is invalid' });
    await trellis.as(owner).get(one(1, NOWHERE)).expect(404, { message: '404 Project Not Found' });
    const elsewhere = await make({}, await trellis.factories.project(owner));
    for (const id of [elsewhere.id, 2_000_000_000, '99999999999', 0]) {
      await trellis.as(owner).get(one(id)).expect(404, { message: '404 Not found' });
    }
    const { body } = await trellis.as(guest).get(one(milestone.id)).expect(200);
    expect(body).toEqual(milestone);
    await expectByRole(trellis, cast, async (client, { id }) => {
      const made = await makeIn({ id });
      return client.get(one(made.id, { id }));
    });
  });

  describe('are updated', () => {
    it('with a change, in a readable project, with the right and an existing milestone', async () => {
      const { id } = await make();
      await trellis.anonymous.put(one(id), {}).expect(401);
      const nothing = await trellis.as(owner).put(one(id, NOWHERE), {}).expect(400);
      expect(nothing.body).toEqual({
        error:
          'title, description, due_date, start_date, state_event are missing, ' +
          'at least one parameter must be provided',
      });
      const event = await put(id, { state_event: 'reopen' }).expect(400);
      expect(event.body).toEqual({ error: 'state_event does not have a valid value' });
      await trellis.as(owner).put(one(id, NOWHERE), { title: 'x' }).expect(404);
      await trellis.as(guest).put(one(0), { title: '' }).expect(403);
      await put(2_000_000_000, { title: '' }).expect(404, { message: '404 Not found' });
      const elsewhere = await make({}, await trellis.factories.project(owner));
      await put(elsewhere.id, { title: 'x' }).expect(404);
      await expectByRole(
        trellis,
        cast,
        async (client, place) => {
          const made = await makeIn(place);
          return client.put(one(made.id, place), { description: 'New' });
        },
        MASTERS,
      );
    });

    it('in the given fields only', async () => {
      const dates = { start_date: '2017-01-01', due_date: '2017-02-01' };
      const milestone = await make({ title: 'Old', description: 'Text', ...dates });
      const changed = async (change: object) =>
        (await put(milestone.id, change).expect(200)).body as MilestoneBody;
      const first = await changed({ title: ' New ' });
      expect(first).toEqual({ ...milestone, title: 'New', updated_at: TIMESTAMP });
      expect(first.updated_at > milestone.updated_at).toBe(true);
      expect(await changed({ description: 'Other' })).toMatchObject({ description: 'Other' });
      expect(await changed({ due_date: '2017-03-01' })).toMatchObject({
        title: 'New',
        start_date: '2017-01-01',
        due_date: '2017-03-01',
      });
      expect(await changed({ start_date: '', due_date: null, description: null })).toMatchObject({
        start_date: null,
        due_date: null,
        description: null,
      });
      expect(await changed({ title: '<i>1 < 2</i> <script>x' })).toMatchObject({
        title: '1 < 2 x',
      });
      expect(await changed({ title: ' New' })).toMatchObject({ title: 'New' });
      expect(await changed({ title: null, due_date: '2018-01-01' })).toMatchObject({
        title: 'New',
        due_date: '2018-01-01',
      });
    });

    it('unless fields become invalid', async () => {
      const { id } = await make({ due_date: '2017-01-01' });
      await make({ title: 'Taken' });
      const refused = async (change: object) =>
        ((await put(id, change).expect(400)).body as { message: object }).message;
      expect(await refused({ title: 'Taken' })).toEqual({ title: ['has already been taken'] });
      expect(await refused({ title: ' ' })).toEqual({ title: ["can't be blank"] });
      expect(await refused({ start_date: '2017-01-01' })).toEqual({
        start_date: ["Can't be greater than due date"],
      });
      const both = { start_date: '2017-01-01', due_date: '2017-01-02' };
      expect((await put(id, both).expect(200)).body).toMatchObject(both);
    });

    it('in their state; an event without effect is accepted', async () => {
      const { id } = await make();
      for (const [state_event, state] of [
        ['activate', 'active'],
        ['close', 'closed'],
        ['close', 'closed'],
        ['activate', 'active'],
      ]) {
        expect((await put(id, { state_event }).expect(200)).body).toMatchObject({ state });
      }
    });
  });

  describe('are deleted', () => {
    it('with a credential, in a readable project, by masters', async () => {
      const { id } = await make();
      await trellis.anonymous.delete(one(id)).expect(401);
      await trellis.as(owner).delete(one('x', NOWHERE)).expect(400);
      await trellis.as(owner).delete(one(id, NOWHERE)).expect(404);
      await trellis.as(guest).delete(one(0)).expect(403);
      await trellis.as(master).delete(one(2_000_000_000)).expect(404, { message: '404 Not found' });
      const elsewhere = await make({}, await trellis.factories.project(owner));
      await trellis.as(master).delete(one(elsewhere.id)).expect(404);
      await expectByRole(
        trellis,
        cast,
        async (client, place) => client.delete(one((await makeIn(place)).id, place)),
        MASTERS,
      );
    });

    it('once, and removed from issues; the response is the deleted milestone', async () => {
      const milestone = await make();
      const issues = `/projects/${String(project.id)}/issues`;
      const issue = await trellis
        .as(master)
        .post(issues, { title: 'Issue', milestone_id: milestone.id })
        .expect(200);
      expect(issue.body).toMatchObject({ milestone });
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => trellis.as(master).delete(one(milestone.id))),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
      expect(answers.find(({ status }) => status === 200)?.body).toEqual(milestone);
      const { id } = issue.body as { id: number };
      const read = await trellis
        .as(guest)
        .get(`${issues}/${String(id)}`)
        .expect(200);
      expect(read.body).toMatchObject({ milestone: null });
      await trellis.as(guest).get(one(milestone.id)).expect(404);
    });

    it('while issues are given them, without errors', async () => {
      const issues = `/projects/${String(project.id)}/issues`;
      for (let round = 0; round < 5; round += 1) {
        const { id } = await make();
        const issue = await trellis.as(master).post(issues, { title: 'Issue' }).expect(200);
        const path = `${issues}/${String((issue.body as { id: number }).id)}`;
        const answers = await Promise.all([
          trellis.as(master).put(path, { milestone_id: id }),
          trellis.as(master).delete(one(id)),
          trellis.as(master).post(issues, { title: 'Another', milestone_id: id }),
        ]);
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
        expect((await trellis.as(guest).get(path)).body).toMatchObject({ milestone: null });
      }
    });
  });

  it('return 403 where issues and merge requests are disabled', async () => {
    const { id } = await make();
    const asOwner = trellis.as(owner);
    const path = `/projects/${String(project.id)}`;
    await asOwner.put(path, { merge_requests_enabled: false }).expect(200);
    await asOwner.get(at()).expect(200);
    await asOwner.put(path, { issues_enabled: false }).expect(200);
    for (const client of [asOwner, trellis.as(await trellis.factories.admin())]) {
      const answers = [
        await client.get(at()),
        await client.get(one(id)),
        await client.post(at(), { title: 'x' }),
        await client.put(one(id), { title: 'x' }),
        await client.delete(one(id)),
      ];
      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
    }
    await asOwner.put(path, { merge_requests_enabled: true }).expect(200);
    expect(await listed()).toEqual([1]);
  });
});
