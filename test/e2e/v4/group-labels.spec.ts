import { type MadeGroup, type MadeProject, type Person, unique } from '../../support/factories.js';
import { issuesOf } from '../../support/issues.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

jest.setTimeout(180_000);

const COLOR = '#d9534f';

interface LabelBody {
  id: number;
  name: string;
  priority: number | null;
  is_project_label: boolean;
}

describe('labels of groups', () => {
  let trellis: Trellis;
  let owner: Person;
  let reporter: Person;
  let guest: Person;
  let outsider: Person;
  let group: MadeGroup;
  let project: MadeProject;
  let other: MadeProject;

  beforeEach(async () => {
    trellis = await Trellis.shared();
    const { factories } = trellis;
    owner = await factories.user();
    reporter = await factories.user();
    guest = await factories.user();
    outsider = await factories.user();
    group = await factories.group(owner, { visibilityLevel: 0 });
    await factories.addToGroup(group, reporter, 20);
    await factories.addToGroup(group, guest, 10);
    project = await factories.project(owner, { namespaceId: group.id, visibilityLevel: 0 });
    other = await factories.project(owner, { namespaceId: group.id, visibilityLevel: 0 });
    await factories.addToProject(project, outsider, 40);
  });

  const v4 = (person: Person) => trellis.as(person).v4;
  const ofGroup = ({ id }: { id: number } = group) => `/groups/${String(id)}/labels`;
  const of = ({ id }: { id: number }) => `/projects/${String(id)}/labels`;
  const make = async (name: string, path = ofGroup(), person = reporter) => {
    const { body } = await v4(person).post(path, { name, color: COLOR }).expect(201);
    return body as LabelBody;
  };
  const names = (body: unknown) => (body as { name: string }[]).map(({ name }) => name);
  const issueIn = async (place: MadeProject, labels: string, more: object = {}) => {
    const { body } = await v4(owner)
      .post(issuesOf(place), { title: 'x', labels, ...more })
      .expect(201);
    return body as { id: number; iid: number; labels: string[] };
  };
  const listed = async (path: string, person = owner) => {
    const { body } = await v4(person).get(path).expect(200);
    return (body as { id: number }[]).map(({ id }) => id);
  };

  it('are created, read, changed and deleted by reporters of the group, by ID and name', async () => {
    const values = { name: 'needs review', color: COLOR, description: '<b>' };
    const made = await v4(reporter).post(ofGroup(), values).expect(201);
    const { id } = made.body as LabelBody;
    expect(made.body).toEqual({
      id,
      ...values,
      description_html: '&lt;b&gt;',
      text_color: '#FFFFFF',
      subscribed: false,
    });
    for (const name of [String(id), 'needs%20review']) {
      const read = await v4(guest).get(`${ofGroup()}/${name}`).expect(200);
      expect(read.body).toEqual(made.body);
    }
    const renamed = await v4(reporter)
      .put(`${ofGroup()}/needs%20review`, { new_name: 'review' })
      .expect(200);
    expect(renamed.body).toMatchObject({ id, name: 'review', color: COLOR });
    const named = await v4(reporter).put(ofGroup(), { label_id: id, color: '#fff' }).expect(200);
    expect(named.body).toMatchObject({ id, color: '#fff' });
    await v4(reporter).delete(`${ofGroup()}?name=review`).expect(204);
    expect(await trellis.rows('SELECT FROM labels WHERE id = $1', [id])).toHaveLength(0);
  });

  it('are refused to guests and hidden from those who do not see the group', async () => {
    const { id } = await make('bug');
    const one = `${ofGroup()}/${String(id)}`;
    const body = { name: 'x', color: COLOR };
    await v4(guest).post(ofGroup(), body).expect(403);
    await v4(guest).put(one, { color: '#000' }).expect(403);
    await v4(guest).delete(one).expect(403);
    const stranger = await trellis.factories.user();
    for (const path of [ofGroup(), one]) {
      await v4(stranger).get(path).expect(404);
      await trellis.anonymous.v4.get(path).expect(404);
    }
    await trellis.anonymous.v4.post(ofGroup(), body).expect(401);
    await trellis.rows('UPDATE namespaces SET visibility_level = 20 WHERE id = $1', [group.id]);
    for (const path of [ofGroup(), one]) await trellis.anonymous.v4.get(path).expect(200);
  });

  it('need a name or ID and something to change', async () => {
    await make('bug');
    const unnamed = await v4(reporter).put(ofGroup(), { new_name: 'x' }).expect(400);
    expect(unnamed.body).toEqual({
      error: 'label_id, name are missing, exactly one parameter must be provided',
    });
    const empty = await v4(reporter).put(ofGroup(), { name: 'bug' }).expect(400);
    expect(empty.body).toEqual({
      error: 'new_name, color, description are missing, at least one parameter must be provided',
    });
    await v4(reporter).put(ofGroup(), { name: 'absent', color: '#000' }).expect(404);
    const blank = await v4(reporter).post(ofGroup(), { name: ' ', color: COLOR }).expect(400);
    expect(blank.body).toEqual({ message: { title: ["can't be blank"] } });
  });

  it('are listed by their group and all its projects, with those of projects where asked for', async () => {
    const { id } = await make('shared');
    await make('alone', of(project));
    await make('elsewhere', of(other));
    const list = await v4(guest).get(of(project)).expect(200);
    expect(list.body).toMatchObject([
      { name: 'alone', is_project_label: true },
      { id, name: 'shared', is_project_label: false, priority: null },
    ]);
    expect(list.headers['x-total']).toBe('2');
    const inherited = await v4(guest)
      .get(`${of(other)}?include_ancestor_groups=false`)
      .expect(200);
    expect(names(inherited.body)).toEqual(['elsewhere', 'shared']);
    expect(names((await v4(guest).get(`${of(project)}?search=har`)).body)).toEqual(['shared']);
    expect(names((await v4(guest).get(ofGroup())).body)).toEqual(['shared']);
    const all = `${ofGroup()}?only_group_labels=false&include_descendant_groups=true`;
    expect(names((await v4(guest).get(all)).body)).toEqual(['alone', 'elsewhere', 'shared']);
    const third = await trellis.factories.user();
    await trellis.factories.addToProject(other, third, 10);
    expect(names((await v4(third).get(all)).body)).toEqual(['elsewhere', 'shared']);
    const old = await trellis.as(guest).get(of(project)).expect(200);
    expect(names(old.body)).toEqual(['alone', 'shared']);
  });

  it('take no name that a project of the group has, and projects take none of theirs', async () => {
    await make('bug');
    await make('own', of(project));
    const taken = { message: 'Label already exists' };
    const conflict = async (path: string, name: string) => {
      const { body } = await v4(owner).post(path, { name, color: COLOR }).expect(409);
      expect(body).toEqual(taken);
    };
    await conflict(ofGroup(), 'bug');
    await conflict(ofGroup(), 'own');
    await conflict(of(other), 'bug');
    const v3 = await trellis.as(owner).post(of(project), { name: 'bug', color: COLOR }).expect(409);
    expect(v3.body).toEqual(taken);
    await make('own', of(other));
    const names = { message: { title: ['has already been taken'] } };
    const intoGroup = await v4(owner)
      .put(`${of(project)}/own`, { new_name: 'bug' })
      .expect(400);
    expect(intoGroup.body).toEqual(names);
    const intoProject = await v4(owner).put(`${ofGroup()}/bug`, { new_name: 'own' }).expect(400);
    expect(intoProject.body).toEqual(names);
  });

  it('are created once when their group and its projects take a name at once', async () => {
    for (const name of ['one', 'two', 'three']) {
      const paths = [ofGroup(), of(project), of(other)];
      const answers = await Promise.all(
        paths.map((path) => v4(owner).post(path, { name, color: COLOR })),
      );
      const [inGroup = 0, ...inProjects] = answers.map(({ status }) => status);
      expect([inGroup, ...inProjects].every((status) => [201, 409].includes(status))).toBe(true);
      if (inGroup === 201) expect(inProjects).toEqual([409, 409]);
      else expect(inProjects).toContain(201);
      const rows = await trellis.rows<{ group_id: number | null }>(
        'SELECT group_id FROM labels WHERE name = $1 AND (group_id = $2 OR project_id = ANY($3))',
        [name, group.id, [project.id, other.id]],
      );
      expect(rows.filter(({ group_id }) => group_id !== null)).toHaveLength(
        inGroup === 201 ? 1 : 0,
      );
    }
  });

  it('mark issues and merge requests of all projects, and filter their lists', async () => {
    const { id } = await make('bug');
    await make('own', of(project));
    const here = await issueIn(project, 'bug,own');
    expect(here.labels).toEqual(['bug', 'own']);
    const there = await issueIn(other, 'bug');
    const plain = await issueIn(project, 'own');
    expect(await listed(`${issuesOf(project)}?labels=bug`)).toEqual([here.id]);
    expect(await listed(`${issuesOf(project)}?labels=bug&order_by=updated_at`)).toEqual([here.id]);
    expect(await listed(`${issuesOf(project)}?labels=own,bug`)).toEqual([here.id]);
    expect(await listed(`${issuesOf(project)}?labels=own`)).toEqual([plain.id, here.id]);
    const inGroup = `/groups/${String(group.id)}/issues?labels=bug`;
    expect(await listed(inGroup)).toEqual([there.id, here.id]);
    expect(await listed(inGroup, outsider)).toEqual([here.id]);
    const old = await trellis
      .as(owner)
      .get(`${issuesOf(project)}?labels=bug,own`)
      .expect(200);
    expect((old.body as { id: number }[]).map((one) => one.id)).toEqual([plain.id, here.id]);
    const rows = await trellis.rows(
      'SELECT label_id, project_id FROM label_links WHERE label_id = $1 ORDER BY target_id',
      [id],
    );
    expect(rows.map(({ project_id: at }) => at as number)).toEqual([project.id, other.id]);
    await v4(owner)
      .put(`${issuesOf(other)}/${String(there.iid)}`, { labels: 'made' })
      .expect(200);
    expect(await listed(inGroup)).toEqual([here.id]);
    expect(names((await v4(owner).get(of(other))).body)).toEqual(['bug', 'made']);
  });

  it('count what the reader may read in all projects of the group', async () => {
    await make('bug');
    await issueIn(project, 'bug');
    await issueIn(project, 'bug', { confidential: true });
    const closed = await issueIn(other, 'bug');
    await v4(owner)
      .put(`${issuesOf(other)}/${String(closed.iid)}`, { state_event: 'close' })
      .expect(200);
    const counts = async (path: string, person: Person) => {
      const { body } = await v4(person).get(`${path}?with_counts=true`).expect(200);
      const [label] = body as Record<string, number>[];
      return [label?.['open_issues_count'], label?.['closed_issues_count']];
    };
    expect(await counts(ofGroup(), owner)).toEqual([2, 1]);
    expect(await counts(of(other), owner)).toEqual([2, 1]);
    expect(await counts(ofGroup(), guest)).toEqual([1, 1]);
    expect(await counts(of(project), outsider)).toEqual([2, 0]);
    const old = await trellis.as(guest).get(of(project)).expect(200);
    expect(old.body).toMatchObject([{ open_issues_count: 1, closed_issues_count: 1 }]);
    await v4(owner)
      .put(`/projects/${String(other.id)}`, { issues_access_level: 'disabled' })
      .expect(200);
    expect(await counts(ofGroup(), owner)).toEqual([2, 0]);
  });

  it('have a priority in each project, by its right, and keep the rest to the group', async () => {
    const { id } = await make('bug');
    const inProject = `${of(project)}/bug`;
    const set = await v4(outsider).put(inProject, { priority: 3 }).expect(200);
    expect(set.body).toMatchObject({ id, priority: 3, is_project_label: false });
    await v4(outsider).put(inProject, { priority: 4, color: '#000' }).expect(403);
    await v4(outsider).put(inProject, { new_name: 'x' }).expect(403);
    await v4(outsider).delete(inProject).expect(403);
    expect((await v4(owner).get(`${of(other)}/bug`)).body).toMatchObject({ priority: null });
    const v3 = await trellis.as(outsider).get(of(project)).expect(200);
    expect(v3.body).toMatchObject([{ id, priority: 3 }]);
    await v4(outsider).put(inProject, { priority: null }).expect(200);
    expect(await trellis.rows('SELECT FROM label_priorities WHERE label_id = $1', [id])).toEqual(
      [],
    );
    const both = await v4(reporter).put(inProject, { priority: 1, color: '#000' }).expect(200);
    expect(both.body).toMatchObject({ priority: 1, color: '#000' });
    await v4(reporter).delete(inProject).expect(204);
    await v4(owner).get(`${ofGroup()}/bug`).expect(404);
  });

  it('are neither changed nor deleted by version 3', async () => {
    const { id } = await make('bug');
    const absent = { message: '404 Label Not Found' };
    const change = await trellis
      .as(owner)
      .put(of(project), { name: 'bug', new_name: 'x' })
      .expect(404);
    expect(change.body).toEqual(absent);
    const removal = await trellis
      .as(owner)
      .delete(`${of(project)}?name=bug`)
      .expect(404);
    expect(removal.body).toEqual(absent);
    const read = await v4(owner)
      .get(`${ofGroup()}/${String(id)}`)
      .expect(200);
    expect(read.body).toMatchObject({ name: 'bug' });
  });

  it('are subscribed to once, through the group or a project', async () => {
    const { id } = await make('bug');
    const one = `${ofGroup()}/bug`;
    expect((await v4(guest).post(`${one}/subscribe`).expect(201)).body).toMatchObject({
      ...{ id, subscribed: true },
    });
    await v4(guest)
      .post(`${of(project)}/bug/subscribe`)
      .expect(304);
    await trellis
      .as(guest)
      .post(`${of(project)}/bug/subscription`)
      .expect(304);
    await v4(guest)
      .post(`${of(other)}/bug/unsubscribe`)
      .expect(201);
    await v4(guest).post(`${one}/unsubscribe`).expect(304);
    await v4(guest).post(`${one}/subscribe`).expect(201);
    await v4(reporter).delete(one).expect(204);
    const left = await trellis.rows(
      `SELECT FROM subscriptions WHERE target_type = 'Label' AND target_id = $1`,
      [id],
    );
    expect(left).toHaveLength(0);
  });

  it('take the place of the labels of projects that are promoted', async () => {
    const here = await make('bug', of(project));
    const there = await make('bug', of(other));
    const first = await issueIn(project, 'bug');
    const second = await issueIn(other, 'bug');
    await v4(owner)
      .put(`${of(other)}/bug`, { priority: 5 })
      .expect(200);
    await v4(guest)
      .post(`${of(other)}/bug/subscribe`)
      .expect(201);
    await v4(outsider)
      .put(`${of(project)}/bug/promote`)
      .expect(403);
    await v4(guest)
      .put(`${of(project)}/bug/promote`)
      .expect(403);
    const promoted = await v4(reporter)
      .put(`${of(project)}/bug/promote`)
      .expect(200);
    expect(promoted.body).toMatchObject({ id: here.id, name: 'bug', color: COLOR });
    expect(promoted.body).not.toHaveProperty('is_project_label');
    const again = await v4(reporter)
      .put(`${of(project)}/bug/promote`)
      .expect(400);
    expect(again.body).toEqual({ message: 'Failed to promote project label to group label' });
    const inOther = await v4(guest).get(of(other)).expect(200);
    expect(inOther.body).toMatchObject([
      { id: here.id, priority: 5, subscribed: true, is_project_label: false },
    ]);
    expect(await trellis.rows('SELECT FROM labels WHERE id = $1', [there.id])).toEqual([]);
    const inGroup = `/groups/${String(group.id)}/issues?labels=bug`;
    expect(await listed(inGroup)).toEqual([second.id, first.id]);
    expect(await listed(`${issuesOf(other)}?labels=bug`)).toEqual([second.id]);
    const { body } = await v4(owner).get(`${ofGroup()}?with_counts=true`).expect(200);
    expect(body).toMatchObject([{ id: here.id, open_issues_count: 2 }]);
    const personal = await trellis.factories.project(owner);
    await make('x', of(personal), owner);
    await v4(owner)
      .put(`${of(personal)}/x/promote`)
      .expect(400);
    await v4(reporter)
      .put(`${of(project)}/absent/promote`)
      .expect(404);
  });

  it('stay on issues that are transferred with their project, as labels of the project', async () => {
    const { id } = await make('bug');
    await make('unused');
    const issue = await issueIn(project, 'bug');
    const kept = await issueIn(other, 'bug');
    await v4(owner)
      .put(`${of(project)}/bug`, { priority: 2 })
      .expect(200);
    await v4(owner)
      .put(`/projects/${String(project.id)}/transfer`, { namespace: owner.user.username })
      .expect(200);
    const labels = (await v4(owner).get(of(project)).expect(200)).body as LabelBody[];
    expect(labels).toMatchObject([{ name: 'bug', priority: 2, is_project_label: true }]);
    expect(labels[0]?.id).not.toBe(id);
    expect(await listed(`${issuesOf(project)}?labels=bug`)).toEqual([issue.id]);
    expect(await listed(`/groups/${String(group.id)}/issues?labels=bug`)).toEqual([kept.id]);
    expect(await trellis.rows('SELECT FROM label_priorities WHERE label_id = $1', [id])).toEqual(
      [],
    );
    await v4(owner)
      .put(`/projects/${String(project.id)}/transfer`, { namespace: group.id })
      .expect(200);
    const back = await v4(owner).get(of(project)).expect(200);
    expect(back.body).toMatchObject([
      { id, name: 'bug', priority: 2, is_project_label: false },
      { name: 'unused' },
    ]);
    expect(await listed(`/groups/${String(group.id)}/issues?labels=bug`)).toEqual([
      kept.id,
      issue.id,
    ]);
    const { body } = await v4(owner).get(`${ofGroup()}/?with_counts=true`).expect(200);
    expect(body).toMatchObject([{ id, open_issues_count: 2 }, {}]);
  });

  it('keep their priorities where the new group of a project has their names', async () => {
    await make('bug');
    const next = await trellis.factories.group(owner, { visibilityLevel: 0 });
    await make('bug', ofGroup(next), owner);
    await v4(owner)
      .put(`${of(project)}/bug`, { priority: 2 })
      .expect(200);
    await v4(owner)
      .put(`/projects/${String(project.id)}/transfer`, { namespace: next.id })
      .expect(200);
    const { body } = await v4(owner).get(of(project)).expect(200);
    expect(body).toMatchObject([{ name: 'bug', priority: 2, is_project_label: false }]);
  });

  it('stay on issues that move to another project of the group, and not beyond', async () => {
    await make('bug');
    const issue = await issueIn(project, 'bug');
    const move = (iid: number, from: MadeProject, to: MadeProject) =>
      v4(owner)
        .post(`${issuesOf(from)}/${String(iid)}/move`, { to_project_id: to.id })
        .expect(201);
    const moved = await move(issue.iid, project, other);
    expect(moved.body).toMatchObject({ labels: ['bug'] });
    const outside = await trellis.factories.project(owner);
    const { iid } = moved.body as { iid: number };
    expect((await move(iid, other, outside)).body).toMatchObject({ labels: [] });
  });

  it('lose the links of projects that are deleted, and go with their group', async () => {
    const jobs = await Trellis.shared({ runsJobs: true });
    const admin = await jobs.factories.user({ admin: true });
    const mine = await jobs.factories.group(admin, { path: `labels-${unique()}` });
    const place = await jobs.factories.project(admin, { namespaceId: mine.id });
    const as = jobs.as(admin).v4;
    const { body } = await as.post(ofGroup(mine), { name: 'bug', color: COLOR }).expect(201);
    const { id } = body as LabelBody;
    await as.post(issuesOf(place), { title: 'x', labels: 'bug' }).expect(201);
    await as.post(`${ofGroup(mine)}/bug/subscribe`).expect(201);
    await as.delete(`/projects/${String(place.id)}`).expect(202);
    const isGone = (table: string, column: string) => async () =>
      (await jobs.rows(`SELECT FROM ${table} WHERE ${column} = $1`, [id])).length === 0;
    await until(isGone('label_links', 'label_id'));
    await as.delete(`/groups/${String(mine.id)}`).expect(202);
    await as.get(ofGroup(mine)).expect(404);
    await until(isGone('labels', 'id'));
    const left = await jobs.rows(
      `SELECT FROM subscriptions WHERE target_type = 'Label' AND target_id = $1`,
      [id],
    );
    expect(left).toEqual([]);
  });

  it('are listed with a constant number of statements', async () => {
    const count = async (path: string) =>
      (await trellis.statements.during(() => v4(owner).get(path).expect(200))).length;
    for (const name of ['a', 'b']) await make(name);
    await make('c', of(project));
    const paths = [ofGroup(), `${ofGroup()}?with_counts=true`, `${of(project)}?with_counts=true`];
    const few: number[] = [];
    for (const path of paths) few.push(await count(path));
    for (const name of ['d', 'e', 'f']) await make(name);
    await issueIn(project, 'a,d,e');
    for (const [index, path] of paths.entries()) expect(await count(path)).toBe(few[index]);
  });
});
