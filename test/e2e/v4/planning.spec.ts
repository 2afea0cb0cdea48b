import type { MadeProject, Person } from '../../support/factories.js';
import { issuesOf, TIMESTAMP } from '../../support/issues.js';
import { Trellis } from '../../support/trellis.js';

describe('labels and milestones of version 4', () => {
  let trellis: Trellis;
  let owner: Person;
  let reporter: Person;
  let guest: Person;
  let project: MadeProject;
  let labels: string;
  let milestones: string;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    const { factories } = trellis;
    owner = await factories.user();
    reporter = await factories.user();
    guest = await factories.user();
    project = await factories.project(owner, { visibilityLevel: 0 });
    await factories.addToProject(project, reporter, 20);
    await factories.addToProject(project, guest, 10);
    labels = `/projects/${String(project.id)}/labels`;
    milestones = `/projects/${String(project.id)}/milestones`;
  });

  const v4 = (person: Person) => trellis.as(person).v4;

  it('creates, reads, renames and deletes labels by ID and by name', async () => {
    const values = { name: 'bug fix', color: '#d9534f', description: '<b>', priority: 1 };
    const made = await v4(reporter).post(labels, values).expect(201);
    const { id } = made.body as { id: number };
    expect(made.body).toEqual({
      id,
      ...values,
      description_html: '&lt;b&gt;',
      text_color: '#FFFFFF',
      subscribed: false,
      is_project_label: true,
    });
    for (const name of [String(id), 'bug%20fix']) {
      expect((await v4(guest).get(`${labels}/${name}`).expect(200)).body).toEqual(made.body);
    }
    const renamed = await v4(reporter)
      .put(`${labels}/bug%20fix`, { new_name: 'bug', color: '#ffff00' })
      .expect(200);
    expect(renamed.body).toMatchObject({ id, name: 'bug', text_color: '#1F1E24' });
    const named = await v4(reporter).put(labels, { name: 'bug', description: null }).expect(200);
    expect(named.body).toMatchObject({ id, description: null, description_html: null });
    const old = await trellis.as(reporter).get(labels).expect(200);
    expect(old.body).toMatchObject([{ id, name: 'bug', color: '#ffff00' }]);
    const nothing = await v4(reporter).put(`${labels}/bug`, {}).expect(400);
    expect(nothing.body).toEqual({
      error:
        'new_name, color, description, priority are missing, at least one parameter must be provided',
    });
    expect((await v4(guest).delete(`${labels}/${String(id)}`)).status).toBe(403);
    await v4(reporter)
      .delete(`${labels}/${String(id)}`)
      .expect(204);
    const absent = await v4(reporter).get(`${labels}/bug`).expect(404);
    expect(absent.body).toEqual({ message: '404 Label Not Found' });
    await v4(reporter).post(labels, { name: 'other', color: '#000' }).expect(201);
    await v4(reporter).delete(`${labels}?name=other`).expect(204);
  });

  it('lists labels, with counts where they are asked for', async () => {
    for (const name of ['one', 'two']) {
      await v4(owner)
        .post(labels, { name, color: '#fff', description: `${name}!` })
        .expect(201);
    }
    await v4(owner).post(issuesOf(project), { title: 'x', labels: 'one' }).expect(201);
    const plain = await v4(guest).get(labels).expect(200);
    expect((plain.body as { name: string }[]).map(({ name }) => name)).toEqual(['one', 'two']);
    expect(plain.body).not.toMatchObject([{ open_issues_count: 1 }, {}]);
    const counted = await v4(guest).get(`${labels}?with_counts=true&search=ONE!`).expect(200);
    expect(counted.body).toMatchObject([
      { name: 'one', open_issues_count: 1, closed_issues_count: 0, open_merge_requests_count: 0 },
    ]);
    const taken = await v4(owner).post(labels, { name: 'one', color: '#fff' }).expect(409);
    expect(taken.body).toEqual({ message: 'Label already exists' });
    const subscribed = await v4(guest).post(`${labels}/one/subscribe`).expect(201);
    expect(subscribed.body).toMatchObject({ name: 'one', subscribed: true });
    expect((await v4(guest).post(`${labels}/one/subscribe`)).status).toBe(304);
    await v4(guest).post(`${labels}/one/unsubscribe`).expect(201);
    expect((await v4(guest).post(`${labels}/one/unsubscribe`)).status).toBe(304);
  });

  it('creates, changes and deletes milestones; from level reporter on', async () => {
    const refused = await v4(guest).post(milestones, { title: 'No' });
    expect(refused.status).toBe(403);
    const made = await v4(reporter)
      .post(milestones, { title: 'One', due_date: '2001-02-03', description: 'Text' })
      .expect(201);
    const { id, iid, web_url } = made.body as { id: number; iid: number; web_url: string };
    expect(made.body).toEqual({
      id,
      iid,
      project_id: project.id,
      title: 'One',
      description: 'Text',
      state: 'active',
      created_at: TIMESTAMP,
      updated_at: TIMESTAMP,
      due_date: '2001-02-03',
      start_date: null,
      expired: true,
      web_url: expect.any(String),
    });
    expect(web_url).toContain(`${project.path}/-/milestones/${String(iid)}`);
    const at = `${milestones}/${String(id)}`;
    const closed = await v4(reporter).put(at, { state_event: 'close', due_date: '' }).expect(200);
    expect(closed.body).toMatchObject({ state: 'closed', due_date: null, expired: false });
    const old = await trellis.as(reporter).get(at).expect(200);
    expect(old.body).toMatchObject({ id, state: 'closed', due_date: null });
    expect((await trellis.as(reporter).put(at, { title: 'x' })).status).toBe(403);
    await v4(reporter).post(milestones, { title: 'Two' }).expect(201);
    for (const [query, titles] of [
      ['', ['Two', 'One']],
      ['state=closed', ['One']],
      [`iids[]=${String(iid)}`, ['One']],
      ['title=Two', ['Two']],
      ['search=TEX', ['One']],
    ] as const) {
      const { body } = await v4(guest).get(`${milestones}?${query}`).expect(200);
      expect([query, (body as { title: string }[]).map(({ title }) => title)]).toEqual([
        query,
        titles,
      ]);
    }
    await v4(reporter).delete(at).expect(204);
    expect((await v4(reporter).get(at)).status).toBe(404);
    const missing = await v4(reporter).post(milestones, {}).expect(400);
    expect(missing.body).toEqual({ error: 'title is missing' });
  });
});
