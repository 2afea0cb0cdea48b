import type { MadeGroup, MadeProject, Person } from '../../support/factories.js';
import { issuesOf, TIMESTAMP } from '../../support/issues.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(180_000);

interface MilestoneBody {
  id: number;
  iid: number;
  title: string;
}

interface IssueBody {
  id: number;
  iid: number;
  milestone: Record<string, unknown> | null;
}

describe('milestones of groups', () => {
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
  const ofGroup = () => `/groups/${String(group.id)}/milestones`;
  const of = ({ id }: { id: number }) => `/projects/${String(id)}/milestones`;
  const make = async (title: string, path = ofGroup()) => {
    const { body } = await v4(owner).post(path, { title }).expect(201);
    return body as MilestoneBody;
  };
  const titles = (body: unknown) => (body as { title: string }[]).map(({ title }) => title);
  const issueIn = async (place: MadeProject, milestoneId: number, more: object = {}) => {
    const { body } = await v4(owner)
      .post(issuesOf(place), { title: 'x', milestone_id: milestoneId, ...more })
      .expect(201);
    return body as IssueBody;
  };
  const listed = async (path: string, person = owner) => {
    const { body } = await v4(person).get(path).expect(200);
    return (body as { id: number }[]).map(({ id }) => id);
  };
  const read = async (place: MadeProject, { iid }: { iid: number }) => {
    const { body } = await v4(owner)
      .get(`${issuesOf(place)}/${String(iid)}`)
      .expect(200);
    return body as IssueBody;
  };

  it('are created, read, changed and deleted by reporters of the group', async () => {
    const values = { title: '1.0', description: 'x', due_date: '2030-02-01' };
    const made = await v4(reporter).post(ofGroup(), values).expect(201);
    const { id } = made.body as MilestoneBody;
    expect(made.body).toEqual({
      ...values,
      ...{ id, iid: 1, group_id: group.id, state: 'active', start_date: null, expired: false },
      created_at: TIMESTAMP,
      updated_at: TIMESTAMP,
      web_url: expect.stringMatching(new RegExp(`/groups/${group.path}/-/milestones/1$`)) as string,
    });
    const one = `${ofGroup()}/${String(id)}`;
    expect((await v4(guest).get(one).expect(200)).body).toEqual(made.body);
    const closed = await v4(reporter).put(one, { state_event: 'close', title: '1.1' }).expect(200);
    expect(closed.body).toMatchObject({ id, state: 'closed', title: '1.1' });
    await v4(guest).post(ofGroup(), values).expect(403);
    await v4(guest).put(one, { title: 'x' }).expect(403);
    await v4(guest).delete(one).expect(403);
    const stranger = await trellis.factories.user();
    for (const path of [ofGroup(), one, `${one}/issues`, `${one}/merge_requests`]) {
      await v4(stranger).get(path).expect(404);
      await trellis.anonymous.v4.get(path).expect(404);
    }
    const empty = await v4(reporter).put(one, {}).expect(400);
    expect(empty.body).toEqual({
      error:
        'title, description, due_date, start_date, state_event are missing, at least one parameter must be provided',
    });
    await v4(reporter).delete(one).expect(204);
    await v4(reporter).delete(one).expect(404);
    expect((await make('next')).iid).toBe(2);
    const events = await trellis.rows(
      `SELECT FROM events WHERE target_type = 'Milestone' AND target_id = $1`,
      [id],
    );
    expect(events).toEqual([]);
  });

  it('are listed by the group with filters, and by projects where asked for', async () => {
    const first = await make('1.0');
    const second = await make('2.0');
    await v4(owner)
      .put(`${ofGroup()}/${String(first.id)}`, { state_event: 'close' })
      .expect(200);
    const own = await make('own', of(project));
    const inGroup = async (query: string) =>
      titles((await v4(guest).get(`${ofGroup()}?${query}`).expect(200)).body);
    expect(await inGroup('')).toEqual(['2.0', '1.0']);
    expect(await inGroup('state=closed')).toEqual(['1.0']);
    expect(await inGroup(`iids[]=${String(second.iid)}`)).toEqual(['2.0']);
    expect(await inGroup('title=1.0')).toEqual(['1.0']);
    expect(await inGroup('search=2')).toEqual(['2.0']);
    const list = async (query: string) =>
      titles(
        (
          await v4(guest)
            .get(`${of(project)}?${query}`)
            .expect(200)
        ).body,
      );
    expect(await list('')).toEqual(['own']);
    expect(await list('include_ancestors=true')).toEqual(['own', '2.0', '1.0']);
    expect(await list('include_parent_milestones=true&state=active')).toEqual(['own', '2.0']);
    await v4(owner)
      .get(`${of(project)}/${String(first.id)}`)
      .expect(404);
    await v4(owner)
      .get(`${ofGroup()}/${String(own.id)}`)
      .expect(404);
    const old = await trellis.as(guest).get(of(project)).expect(200);
    expect(titles(old.body)).toEqual(['own']);
    await trellis
      .as(owner)
      .get(`${of(project)}/${String(first.id)}`)
      .expect(404);
    await trellis
      .as(owner)
      .delete(`${of(project)}/${String(first.id)}`)
      .expect(404);
  });

  it('have no title that a project of the group has, and the reverse', async () => {
    await make('1.0');
    await make('own', of(project));
    const taken = { message: { title: ['has already been taken'] } };
    for (const [path, title] of [
      [ofGroup(), '1.0'],
      [ofGroup(), 'own'],
      [of(other), '1.0'],
    ] as const) {
      const { body } = await v4(owner).post(path, { title }).expect(400);
      expect(body).toEqual(taken);
    }
    await make('own', of(other));
    for (const title of ['one', 'two', 'three']) {
      const answers = await Promise.all(
        [ofGroup(), of(project), of(other)].map((path) => v4(owner).post(path, { title })),
      );
      const [inGroup, ...inProjects] = answers.map(({ status }) => status);
      if (inGroup === 201) expect(inProjects).toEqual([400, 400]);
      else expect([inGroup, inProjects.includes(201)]).toEqual([400, true]);
    }
  });

  it('are set on issues of all projects, and filter their lists by title and ID', async () => {
    const { id } = await make('1.0');
    const elsewhere = await trellis.factories.project(owner);
    const here = await issueIn(project, id);
    const there = await issueIn(other, id);
    expect(here.milestone).toMatchObject({ id, iid: 1, group_id: group.id, title: '1.0' });
    expect(here.milestone).not.toHaveProperty('project_id');
    expect((await issueIn(elsewhere, id)).milestone).toBeNull();
    expect(await listed(`${issuesOf(project)}?milestone=1.0`)).toEqual([here.id]);
    expect(await listed(`/groups/${String(group.id)}/issues?milestone=1.0`)).toEqual([
      there.id,
      here.id,
    ]);
    const issues = `${ofGroup()}/${String(id)}/issues`;
    expect(await listed(issues)).toEqual([there.id, here.id]);
    await trellis.rows('UPDATE issues SET confidential = true WHERE id = $1', [here.id]);
    expect(await listed(issues, guest)).toEqual([there.id]);
    await v4(outsider).get(issues).expect(200);
    expect(await listed(issues, outsider)).toEqual([here.id]);
    expect(await listed(`${ofGroup()}/${String(id)}/merge_requests`)).toEqual([]);
    const old = await trellis
      .as(owner)
      .get(`${issuesOf(project)}?milestone=1.0`)
      .expect(200);
    expect(old.body).toMatchObject([{ id: here.id, milestone: { id, project_id: null, iid: 1 } }]);
    const notes = await trellis.rows<{ body: string }>(
      'SELECT body FROM notes WHERE noteable_id = $1 AND system',
      [there.id],
    );
    expect(notes).toEqual([]);
    const cleared = await v4(owner)
      .put(`${issuesOf(other)}/${String(there.iid)}`, { milestone_id: 0 })
      .expect(200);
    expect(cleared.body).toMatchObject({ milestone: null });
    await v4(owner)
      .put(`${issuesOf(other)}/${String(there.iid)}`, { milestone_id: id })
      .expect(200);
    const [, note] = await trellis.rows<{ body: string }>(
      'SELECT body FROM notes WHERE noteable_id = $1 AND system ORDER BY id',
      [there.id],
    );
    expect(note?.body).toBe('changed milestone to %"1.0"');
    await v4(owner)
      .delete(`${ofGroup()}/${String(id)}`)
      .expect(204);
    expect((await read(project, here)).milestone).toBeNull();
  });

  it('take the place of the milestones of projects that are promoted', async () => {
    await make('0.9');
    const here = await make('1.0', of(project));
    const there = await make('1.0', of(other));
    const first = await issueIn(project, here.id);
    const second = await issueIn(other, there.id);
    const path = `${of(project)}/${String(here.id)}/promote`;
    await v4(outsider).post(path).expect(403);
    await v4(guest).post(path).expect(403);
    const promoted = await v4(reporter).post(path).expect(200);
    expect(promoted.body).toMatchObject({
      ...{ id: here.id, iid: 2, title: '1.0', group_id: group.id },
    });
    await v4(reporter).post(path).expect(404);
    expect(await listed(`${ofGroup()}/${String(here.id)}/issues`)).toEqual([second.id, first.id]);
    expect(await trellis.rows('SELECT FROM milestones WHERE id = $1', [there.id])).toEqual([]);
    const personal = await trellis.factories.project(owner);
    const { id } = await make('x', of(personal));
    await v4(owner)
      .post(`${of(personal)}/${String(id)}/promote`)
      .expect(403);
  });

  it('stay on what is transferred with its project, as milestones of the project', async () => {
    const used = await make('1.0');
    await make('unused');
    const own = await make('own', of(project));
    const issue = await issueIn(project, used.id);
    const kept = await issueIn(other, used.id);
    const transfer = (namespace: string | number) =>
      v4(owner)
        .put(`/projects/${String(project.id)}/transfer`, { namespace })
        .expect(200);
    await transfer(owner.user.username);
    const copies = (await v4(owner).get(of(project)).expect(200)).body as MilestoneBody[];
    expect(copies).toMatchObject([
      { title: '1.0', iid: 2, project_id: project.id },
      { id: own.id, iid: 1 },
    ]);
    expect((await read(project, issue)).milestone).toMatchObject({ id: copies[0]?.id });
    expect((await read(other, kept)).milestone).toMatchObject({ id: used.id });
    expect((await make('next', of(project))).iid).toBe(3);
    await transfer(group.id);
    expect((await read(project, issue)).milestone).toMatchObject({ id: used.id });
    expect(titles((await v4(owner).get(of(project)).expect(200)).body)).toEqual(['next', 'own']);
  });

  it('stay on issues that move to another project of the group, and not beyond', async () => {
    const { id } = await make('1.0');
    const issue = await issueIn(project, id);
    const move = async (iid: number, from: MadeProject, to: MadeProject) => {
      const { body } = await v4(owner)
        .post(`${issuesOf(from)}/${String(iid)}/move`, { to_project_id: to.id })
        .expect(201);
      return body as IssueBody;
    };
    const moved = await move(issue.iid, project, other);
    expect(moved.milestone).toMatchObject({ id });
    const outside = await trellis.factories.project(owner);
    expect((await move(moved.iid, other, outside)).milestone).toBeNull();
  });

  it('are listed with a constant number of statements', async () => {
    const paths = [ofGroup(), `${of(project)}?include_ancestors=true`];
    const count = async (path: string) =>
      (await trellis.statements.during(() => v4(owner).get(path).expect(200))).length;
    await make('first');
    const few: number[] = [];
    for (const path of paths) few.push(await count(path));
    for (const title of ['a', 'b', 'c', 'd']) await make(title);
    for (const [index, path] of paths.entries()) expect(await count(path)).toBe(few[index]);
  });
});
