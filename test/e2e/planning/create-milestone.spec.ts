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

describe('Milestones are made', () => {
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
  const listed = async (query = '') => {
    const { body } = await trellis.as(guest).get(`${at()}${query}`).expect(200);
    return (body as MilestoneBody[]).map(({ iid }) => iid);
  };

  it('with a credential, a title, a project one sees, by masters', async () => {
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

  it('with every field, which the answer and the row have', async () => {
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

  it('without the optional fields, spelled in any of the ways of leaving them out', async () => {
    const none = { description: null, due_date: null, start_date: null };
    for (const values of [{}, none, { due_date: '', start_date: '' }]) {
      expect(await make(values)).toMatchObject(none);
    }
    expect(await make({ start_date: '2017-01-01' })).toMatchObject({ due_date: null });
  });

  it('unless something is wrong with them, all of which is told', async () => {
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
    await make({ title: 'taken' });
    await make({ title: 'Taken' }, await trellis.factories.project(owner));
  });

  it('with consecutive numbers, also at once, and never one twice', async () => {
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
