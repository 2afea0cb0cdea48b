import { expectByRole, REPORTERS } from '../../support/by-role.js';
import { type Cast, makeCast } from '../../support/cast.js';
import { type MadeProject, type Person, unique } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

interface LabelBody {
  id: number;
  name: string;
}

const COLOR = '#428BCA';

describe('Labels are made', () => {
  let trellis: Trellis;
  let owner: Person;
  let reporter: Person;
  let guest: Person;
  let project: MadeProject;
  let cast: Cast;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    reporter = await trellis.factories.user();
    guest = await trellis.factories.user();
    cast = await makeCast(trellis);
  });

  beforeEach(async () => {
    project = await trellis.factories.project(owner);
    await trellis.factories.addToProject(project, reporter, 20);
    await trellis.factories.addToProject(project, guest, 10);
  });

  const at = ({ id }: { id: number } = project) => `/projects/${String(id)}/labels`;
  const post = (body: object, person = reporter) => trellis.as(person).post(at(), body);
  const made = async (name: string, more: object = {}) =>
    (await post({ name, color: COLOR, ...more }).expect(200)).body as LabelBody;
  const names = async () => {
    const { body } = await trellis.as(guest).get(at()).expect(200);
    return (body as LabelBody[]).map(({ name }) => name);
  };

  it('with a credential, name and colour, in a project one sees, by reporters', async () => {
    await trellis.anonymous.post(at(), {}).expect(401);
    const nowhere = at({ id: 2_000_000_000 });
    const both = await trellis.as(owner).post(nowhere, {}).expect(400);
    expect(both.body).toEqual({ error: 'name is missing, color is missing' });
    const blank = { name: 'x', color: COLOR };
    for (const priority of [-1, '-1', 1.5, 'high', true, 2_147_483_648]) {
      const bad = await trellis
        .as(owner)
        .post(nowhere, { ...blank, priority })
        .expect(400);
      expect(bad.body).toEqual({ error: 'priority is invalid' });
    }
    await trellis.as(owner).post(nowhere, blank).expect(404);
    await post({ ...blank, name: ',' }, guest).expect(403, { message: '403 Forbidden' });
    await expectByRole(
      trellis,
      cast,
      (client, { id }) => client.post(at({ id }), { name: unique(), color: COLOR }),
      REPORTERS,
    );
    expect(await names()).toEqual([]);
  });

  it('with every field, which the answer and the row have', async () => {
    const values = { name: 'bug', color: '#d9534f', description: 'To be mended', priority: 0 };
    const { body } = await post(values).expect(200);
    expect(body).toEqual({
      id: expect.any(Number) as number,
      name: 'bug',
      color: '#d9534f',
      description: 'To be mended',
      open_issues_count: 0,
      closed_issues_count: 0,
      open_merge_requests_count: 0,
      priority: 0,
      subscribed: false,
    });
    const rows = await trellis.rows(
      'SELECT id, name, color, description, priority FROM labels WHERE project_id = $1',
      [project.id],
    );
    expect(rows).toEqual([{ ...values, id: (body as LabelBody).id }]);
  });

  it('without the optional fields, spelled in any of the ways of leaving them out', async () => {
    for (const more of [{}, { description: null, priority: null }, { priority: '' }]) {
      const label = await made(unique(), more);
      expect(label).toMatchObject({ description: null, priority: null });
    }
    expect(await made('short', { color: '#FfF', priority: '7' })).toMatchObject({
      color: '#FfF',
      priority: 7,
    });
  });

  it('under trimmed names without tags, upper and lower case apart', async () => {
    expect(await made('  <b>Two</b> words ')).toMatchObject({ name: 'Two words' });
    await made('two words');
    for (const name of ['two words', ' two words', '<i>two words</i>']) {
      const taken = await post({ name, color: COLOR }).expect(409);
      expect(taken.body).toEqual({ message: 'Label already exists' });
    }
    const odd = `'; DROP TABLE labels; -- \u202e%_\\/?&~"`;
    expect(await made(odd)).toMatchObject({ name: odd });
    expect(await made('🎉'.repeat(255))).toMatchObject({ name: '🎉'.repeat(255) });
    const other = await trellis.factories.project(owner);
    await trellis.as(owner).post(at(other), { name: odd, color: COLOR }).expect(200);
  });

  it('unless something is wrong with them, all of which is told', async () => {
    const refused = async (values: object) => {
      const { body } = await post({ name: 'x', color: COLOR, ...values }).expect(400);
      return (body as { message: object }).message;
    };
    for (const name of ['', '  ', '<b></b>']) {
      expect(await refused({ name })).toEqual({ title: ["can't be blank"] });
    }
    for (const name of ['a,b', 'x'.repeat(256)]) {
      expect(await refused({ name })).toEqual({ title: ['is invalid'] });
    }
    for (const color of ['', 'red', '#', '#12', '#12345', '#1234567', '#ggg', '428BCA', ' #fff']) {
      expect(await refused({ color })).toEqual({ color: ['must be a valid color code'] });
    }
    expect(await refused({ name: ',', color: 'x', description: 'x'.repeat(2001) })).toEqual({
      title: ['is invalid'],
      color: ['must be a valid color code'],
      description: ['is too long (maximum is 2000 characters)'],
    });
    expect(await names()).toEqual([]);
  });

  it('once, however many ask for the same at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => post({ name: 'race', color: COLOR })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 7 }, () => 409)]);
    expect(await names()).toEqual(['race']);
  });

  it('by naming them on issues too, each once', async () => {
    const issues = `/projects/${String(project.id)}/issues`;
    const labels = 'kept, <b>new</b>,,  other ,new';
    await made('kept', { color: '#fff' });
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        trellis
          .as(reporter)
          .post(issues, { title: `Issue ${String(n)}`, labels })
          .expect(200),
      ),
    );
    for (const { body } of answers) {
      expect(body).toMatchObject({ labels: ['kept', 'new', 'other'] });
    }
    const { body } = await trellis.as(guest).get(at()).expect(200);
    expect(body).toMatchObject([
      { name: 'kept', color: '#fff', open_issues_count: 6 },
      { name: 'new', color: COLOR, open_issues_count: 6 },
      { name: 'other', color: COLOR, open_issues_count: 6 },
    ]);
  });

  it('in archived projects, not in deleted ones', async () => {
    const asOwner = trellis.as(owner);
    await asOwner.post(`/projects/${String(project.id)}/archive`).expect(200);
    await made('archived');
    await asOwner.delete(`/projects/${String(project.id)}`).expect(200);
    await post({ name: 'deleted', color: COLOR }).expect(404);
  });
});
