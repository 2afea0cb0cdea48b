import { AccountErasure } from '../../../src/modules/users/index.js';
import { expectByRole } from '../../support/by-role.js';
import { makeCast } from '../../support/cast.js';
import { type MadeProject, type Person, unique } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

interface LabelBody {
  id: number;
  name: string;
  subscribed: boolean;
}

describe('Subscriptions to labels', () => {
  let trellis: Trellis;
  let owner: Person;
  let reader: Person;
  let project: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    reader = await trellis.factories.user();
    project = await trellis.factories.project(owner, { visibilityLevel: 20 });
  });

  const labelsOf = ({ id }: { id: number }) => `/projects/${String(id)}/labels`;
  const path = (label: string | number, of: { id: number } = project) =>
    `${labelsOf(of)}/${encodeURIComponent(label)}/subscription`;
  const make = async (
    name: string = unique(),
    of: { id: number } = project,
    by: Person = owner,
  ) => {
    const label = { name, color: '#fff' };
    return (await trellis.as(by).post(labelsOf(of), label).expect(200)).body as LabelBody;
  };
  const subscribed = async (person: Person) => {
    const { body } = await trellis
      .as(person)
      .get(`${labelsOf(project)}?per_page=100`)
      .expect(200);
    return (body as LabelBody[]).filter((label) => label.subscribed).map(({ id }) => id);
  };

  it('require a credential, a readable project and one of its labels', async () => {
    const { id } = await make();
    const elsewhere = await make(unique(), await trellis.factories.project(owner));
    for (const verb of ['post', 'delete'] as const) {
      await trellis.anonymous[verb](path(id)).expect(401);
      const nowhere = await trellis
        .as(owner)
        [verb](path(id, { id: 2_000_000_000 }))
        .expect(404);
      expect(nowhere.body).toEqual({ message: '404 Project Not Found' });
      for (const label of ['absent', 2_000_000_000, '99999999999', '0', '-1', elsewhere.id]) {
        const absent = await trellis.as(owner)[verb](path(label)).expect(404);
        expect(absent.body).toEqual({ message: '404 Label Not Found' });
      }
    }
    expect(await subscribed(owner)).toEqual([]);
  });

  it('are available to every reader of the project', async () => {
    const cast = await makeCast(trellis);
    await expectByRole(trellis, cast, async (client, made) => {
      const { name } = await make(unique(), made, cast.people.owner as Person);
      const added = await client.post(path(name, made));
      const removed = await client.delete(path(name, made));
      expect(removed.status).toBe(added.status);
      return added;
    });
  });

  it('start and end once, per user', async () => {
    const label = await make();
    const begun = await trellis.as(reader).post(path(label.id)).expect(200);
    expect(begun.body).toEqual({ ...label, subscribed: true });
    const again = await trellis.as(reader).post(path(label.id)).expect(304);
    expect(again.text).toBe('');
    expect(await subscribed(reader)).toEqual([label.id]);
    expect(await subscribed(owner)).toEqual([]);
    const ended = await trellis.as(reader).delete(path(label.id)).expect(200);
    expect(ended.body).toEqual({ ...label, subscribed: false });
    await trellis.as(reader).delete(path(label.id)).expect(304);
    await trellis.as(owner).delete(path(label.id)).expect(304);
    await trellis.as(reader).post(path(label.id)).expect(200);
    await trellis.as(reader).delete(path(label.id)).expect(200);
    expect(await subscribed(reader)).toEqual([]);
  });

  it('name labels by ID or name; digits are a name where there is no such ID', async () => {
    for (const name of ['two words', 'a/b', 'ümlaut.json', '~"%?&', '2000000001']) {
      const { id } = await make(name);
      const { body } = await trellis.as(reader).post(path(name)).expect(200);
      expect(body).toMatchObject({ id, name });
      await trellis.as(reader).delete(path(id)).expect(200);
    }
    const label = await make();
    const namesake = await make(String(label.id));
    const { body } = await trellis.as(reader).post(path(namesake.name)).expect(200);
    expect(body).toMatchObject({ id: label.id });
  });

  it('start once for concurrent calls', async () => {
    const { id } = await make();
    for (const verb of ['post', 'delete'] as const) {
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => trellis.as(reader)[verb](path(id))),
      );
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([200, ...Array.from({ length: 7 }, () => 304)]);
    }
  });

  it('are deleted with the account, in chunks', async () => {
    const person = await trellis.factories.user();
    const { id } = await make();
    await trellis.as(person).post(path(id)).expect(200);
    await trellis.rows(
      `INSERT INTO subscriptions (target_type, target_id, user_id, project_id, subscribed)
       SELECT 'Issue', n, $1, $2, true FROM generate_series(1, 700) n`,
      [person.user.id, project.id],
    );
    const { steps } = trellis.app.get(AccountErasure);
    const step = steps.find(({ name }) => name === 'SubscriptionsRepository.removeSomeOf');
    expect(await step?.run(person.user.id, 0)).toBe(true);
    expect(await step?.run(person.user.id, 0)).toBe(false);
    const left = await trellis.rows('SELECT 1 FROM subscriptions WHERE user_id = $1', [
      person.user.id,
    ]);
    expect(left).toEqual([]);
  });
});
