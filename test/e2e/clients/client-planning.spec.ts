import { type MadeProject, type Person } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(60_000);

type Body = Record<string, unknown>;

/** Labels and milestones as the existing v3 clients ask for them, in the profile made for them. */
describe('labels and milestones of existing clients', () => {
  let trellis: Trellis;
  let owner: Person;
  let project: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared({ settings: { STATUS_PROFILE: 'gitlab' } });
    owner = await trellis.factories.user({ projectsLimit: 1000 });
  });
  afterAll(() => trellis.restore());
  beforeEach(async () => {
    project = await trellis.factories.project(owner);
  });

  const asOwner = () => trellis.as(owner);
  const parent = () => `/projects/${String(project.id)}`;
  const form = (fields: Record<string, string>) =>
    new URLSearchParams({ private_token: owner.token, ...fields }).toString();
  const label = async (name: string) =>
    (await asOwner().post(`${parent()}/labels`, { name, color: '#fff' }).expect(201)).body as Body;
  const labels = async () => {
    const { body } = await asOwner().get(`${parent()}/labels`).expect(200);
    return (body as Body[]).map(({ name }) => name);
  };

  it('are returned in full, with 201, when they are created', async () => {
    const values = { name: 'bug', color: '#d9534f' };
    const made = await asOwner().post(`${parent()}/labels`, values).expect(201);
    expect(made.body).toMatchObject({ ...values, subscribed: false });
    const milestone = await asOwner().post(`${parent()}/milestones`, { title: 'One' }).expect(201);
    const { id } = milestone.body as { id: number };
    const read = await asOwner()
      .get(`${parent()}/milestones/${String(id)}`)
      .expect(200);
    expect(read.body).toEqual(milestone.body);
    const issue = { title: 'Issue', labels: 'bug', milestone_id: String(id) };
    const created = await asOwner().post(`${parent()}/issues`, issue).expect(201);
    expect(created.body).toMatchObject({ labels: ['bug'], milestone: milestone.body as object });
  });

  it('are subscribed to with 201 or 304, and unsubscribed with 200', async () => {
    await label('two words');
    const subscription = `${parent()}/labels/two%20words/subscription`;
    const begun = await asOwner().post(subscription).expect(201);
    expect(begun.body).toMatchObject({ name: 'two words', subscribed: true });
    await asOwner().post(subscription).expect(304);
    await asOwner().delete(subscription).expect(200);
    await asOwner().delete(subscription).expect(304);
  });

  it('name the label to delete in the query string, a form body or a JSON body', async () => {
    for (const name of ['by query', 'by form', 'by json']) await label(name);
    const path = `${parent()}/labels`;
    await asOwner().delete(`${path}?name=by+query&project_id=7`).expect(200);
    await trellis.anonymous
      .call('delete', path)
      .send(form({ name: 'by form' }))
      .expect(200);
    const answer = await asOwner().delete(path).send({ name: 'by json' }).expect(200);
    expect(answer.body).toMatchObject({ name: 'by json' });
    expect(await labels()).toEqual([]);
  });

  it('can be updated with the body that was read, nulls and counts included', async () => {
    const read = await label('echoed');
    const renamed = { ...read, new_name: 'renamed' };
    const changed = await asOwner().put(`${parent()}/labels/`, renamed).expect(200);
    expect(changed.body).toEqual({ ...read, name: 'renamed' });
    const path = `${parent()}/milestones/`;
    const milestone = await asOwner().post(path, { title: 'Echoed', project_id: 7 }).expect(201);
    const { id } = milestone.body as { id: number };
    const again = await asOwner()
      .put(`${path}/${String(id)}`, { ...(milestone.body as Body), state_event: 'close' })
      .expect(200);
    expect(again.body).toMatchObject({ id, title: 'Echoed', state: 'closed' });
  });

  it('accept a timestamp as a date, and the ID in the body beside the path', async () => {
    const milestone = await trellis.anonymous
      .call('post', `${parent()}/milestones`)
      .send(form({ title: 'Dated', due_date: '2017-01-31T12:00:00Z' }))
      .expect(201);
    expect(milestone.body).toMatchObject({ due_date: '2017-01-31' });
    const { id } = milestone.body as { id: number };
    const given = { id, projectId: project.id, milestone_id: 1, due_date: '2017-02-01' };
    const changed = await asOwner()
      .put(`${parent()}/milestones/${String(id)}`, given)
      .expect(200);
    expect(changed.body).toMatchObject({ id, project_id: project.id, due_date: '2017-02-01' });
  });

  it('join the names of labels with a comma and a space', async () => {
    const issue = { title: 'Labelled', labels: 'first, second' };
    const { body } = await asOwner().post(`${parent()}/issues/`, issue).expect(201);
    expect(body).toMatchObject({ labels: ['first', 'second'] });
    expect(await labels()).toEqual(['first', 'second']);
  });
});
