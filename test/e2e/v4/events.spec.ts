import type { Client } from '../../support/client.js';
import type { Person } from '../../support/factories.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';
import { basicUser } from '../../support/v4-bodies.js';

jest.setTimeout(120_000);

interface EventBody {
  id: number;
  action_name: string;
  target_type: string | null;
  push_data?: object;
}

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/) as string;

describe('events of version 4', () => {
  let trellis: Trellis;
  let owner: Person;
  let stranger: Person;
  let projects: PushedProjects;
  let made: PushedProject;
  let feed: string;
  let second: string;
  let issue: { id: number; iid: number };
  let note: { id: number };

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 100 });
    stranger = await trellis.factories.user();
    projects = new PushedProjects(trellis, owner);
    made = await projects.make({ visibilityLevel: 20 });
    const at = `/projects/${String(made.project.id)}`;
    feed = `${at}/events`;
    second = await made.work.commit(`${'x'.repeat(80)}\n\nBody`);
    await made.work.push('HEAD:refs/heads/topic', 'HEAD:refs/tags/v1');
    await made.work.push(':refs/heads/topic');
    const client = v4();
    issue = (await client.post(`${at}/issues`, { title: 'Mend it' }).expect(201))
      .body as typeof issue;
    const notes = `${at}/issues/${String(issue.iid)}/notes`;
    note = (await client.post(notes, { body: 'At once' }).expect(201)).body as typeof note;
    await client.put(`${at}/issues/${String(issue.iid)}`, { state_event: 'close' }).expect(200);
    const comment = `${at}/repository/commits/${made.head}/comments`;
    await client.post(comment, { note: 'Fine' }).expect(201);
  });
  afterAll(() => projects.remove());

  const v4 = (person: Person = owner): Client => trellis.as(person).v4;
  const list = async (path: string, client = v4()): Promise<EventBody[]> =>
    (await client.get(path).expect(200)).body as EventBody[];
  const actions = async (path: string, client = v4()): Promise<string[]> =>
    (await list(path, client)).map(({ action_name: action }) => action);

  it('have the fields of the entity, from the rows of version 3', async () => {
    const events = await list(feed);
    const frame = () => ({
      id: expect.any(Number) as number,
      project_id: made.project.id,
      target_id: null,
      target_iid: null,
      target_type: null,
      author_id: owner.user.id,
      target_title: null,
      created_at: TIME,
      author: basicUser(owner, trellis.url),
      imported: false,
      imported_from: 'none',
      author_username: owner.user.username,
    });
    const push = (values: object) => ({
      ...{ commit_count: 0, action: 'created', ref_type: 'branch', commit_from: null },
      ...{ commit_to: null, commit_title: null, ref_count: null },
      ...values,
    });
    const comment = {
      ...{ type: null, attachment: null, author: basicUser(owner, trellis.url) },
      ...{ created_at: TIME, updated_at: TIME, system: false, project_id: made.project.id },
      ...{ resolvable: false, confidential: false, internal: false, imported: false },
      ...{ imported_from: 'none', commands_changes: {} },
    };
    const title = `${'x'.repeat(67)}...`;
    expect(events).toEqual([
      {
        ...frame(),
        ...{ action_name: 'commented on', target_type: 'Note', target_title: 'First commit' },
        ...{ target_id: expect.any(Number) as number, target_iid: expect.any(Number) as number },
        note: {
          ...{ ...comment, id: expect.any(Number) as number, body: 'Fine' },
          ...{ noteable_id: null, noteable_iid: null, noteable_type: 'Commit' },
        },
      },
      {
        ...frame(),
        ...{ action_name: 'closed', target_type: 'Issue', target_title: 'Mend it' },
        ...{ target_id: issue.id, target_iid: issue.iid },
      },
      {
        ...frame(),
        ...{ action_name: 'commented on', target_type: 'Note', target_title: 'Mend it' },
        ...{ target_id: note.id, target_iid: note.id },
        note: {
          ...{ ...comment, id: note.id, body: 'At once' },
          ...{ noteable_id: issue.id, noteable_iid: issue.iid, noteable_type: 'Issue' },
        },
      },
      {
        ...frame(),
        ...{ action_name: 'opened', target_type: 'Issue', target_title: 'Mend it' },
        ...{ target_id: issue.id, target_iid: issue.iid },
      },
      {
        ...frame(),
        action_name: 'deleted',
        push_data: push({ action: 'removed', ref: 'topic', commit_from: second }),
      },
      ...[
        {
          ...frame(),
          action_name: 'pushed new',
          push_data: push({
            ...{ ref: 'v1', ref_type: 'tag', commit_to: second },
            ...{ commit_title: title, commit_count: expect.any(Number) as number },
          }),
        },
        {
          ...frame(),
          action_name: 'pushed new',
          push_data: push({
            ...{ ref: 'topic', commit_to: second, commit_count: 1, commit_title: title },
          }),
        },
      ],
      {
        ...frame(),
        action_name: 'pushed new',
        push_data: push({
          ...{ ref: 'master', commit_to: made.head, commit_count: 1 },
          commit_title: 'First commit',
        }),
      },
      { ...frame(), action_name: 'created' },
    ]);
    const old = await trellis.as(owner).get(feed).expect(200);
    expect((old.body as EventBody[]).map(({ action_name: action }) => action)).toEqual(
      events.map(({ action_name: action }) => action),
    );
  });

  it('are selected by action, type and day, and listed in either order', async () => {
    const all = await list(`${feed}?per_page=100`);
    expect(await list(`${feed}?per_page=100&sort=asc`)).toEqual(all.toReversed());
    const pushes = ['deleted', 'pushed new', 'pushed new', 'pushed new'];
    expect(await actions(`${feed}?action=pushed`)).toEqual(pushes);
    expect(await actions(`${feed}?action=created`)).toEqual(['opened', 'created']);
    expect(await actions(`${feed}?action=merged`)).toEqual([]);
    expect(await actions(`${feed}?action=updated`)).toEqual([]);
    expect(await actions(`${feed}?target_type=issue`)).toEqual(['closed', 'opened']);
    expect(await actions(`${feed}?target_type=issue&action=closed`)).toEqual(['closed']);
    expect(await actions(`${feed}?target_type=note`)).toEqual(['commented on', 'commented on']);
    expect(await actions(`${feed}?target_type=wiki`)).toEqual([]);
    const page = await v4().get(`${feed}?action=pushed&sort=asc&per_page=3&page=2`).expect(200);
    expect(page.body).toMatchObject([{ action_name: 'deleted' }]);
    expect(page.headers).toMatchObject({ 'x-total': '4', 'x-next-page': '' });
    await trellis.rows(
      `UPDATE events SET created_at = '2026-03-15T23:59:59.999Z'
        WHERE project_id = $1 AND action = 'closed'`,
      [made.project.id],
    );
    for (const [query, expected] of [
      ['after=2026-03-14&before=2026-03-16', ['closed']],
      ['after=2026-03-15&before=2026-03-16', []],
      ['after=2026-03-14&before=2026-03-15', []],
    ] as const) {
      expect([query, await actions(`${feed}?${query}`)]).toEqual([query, expected]);
    }
    for (const [query, text] of [
      ['action=danced', 'action does not have a valid value'],
      ['target_type=cat', 'target_type does not have a valid value'],
      ['before=yesterday', 'before is invalid'],
      ['after=2026-02-31', 'after is invalid'],
      ['sort=up', 'sort does not have a valid value'],
    ]) {
      const refused = await v4()
        .get(`${feed}?${query ?? ''}`)
        .expect(400);
      expect(refused.body).toEqual({ error: text });
    }
  });

  it('are those of the caller, or of a user by ID or name, where the caller sees the project', async () => {
    const own = await list('/events?per_page=100');
    expect(own).toEqual(await list(`${feed}?per_page=100`));
    const { id, username } = owner.user;
    for (const user of [String(id), username, username.toUpperCase()]) {
      const path = `/users/${user}/events?per_page=100`;
      expect(await list(path, v4(stranger))).toEqual(own);
    }
    const hidden = await trellis.factories.project(owner);
    expect(await actions('/events?per_page=1')).toEqual(['created']);
    expect((await list('/events?per_page=1'))[0]).toMatchObject({ project_id: hidden.id });
    expect(await list(`/users/${username}/events?per_page=100`, v4(stranger))).toEqual(own);
    expect(await list('/events', v4(stranger))).toEqual([]);
    const unknown = await v4().get('/users/no-such-name/events').expect(404);
    expect(unknown.body).toEqual({ message: '404 User Not Found' });
  });

  it('are those of everybody in the projects that the caller is a member of, with scope=all', async () => {
    const { factories } = trellis;
    const [member, guest] = [await factories.user(), await factories.user()];
    expect(await list('/events?scope=all', v4(member))).toEqual([]);
    const { project, head } = await projects.make();
    const at = `/projects/${String(project.id)}`;
    const group = await factories.group(owner);
    const other = await factories.project(owner, { namespaceId: group.id });
    await factories.addToProject(project, member, 30);
    await factories.addToProject(project, guest, 10);
    await factories.addToGroup(group, member, 20);
    const secret = { title: 'Secret', confidential: true };
    await v4().post(`${at}/issues`, secret).expect(201);
    await v4().post(`${at}/repository/commits/${head}/comments`, { note: 'Fine' }).expect(201);
    await v4()
      .post(`/projects/${String(other.id)}/issues`, { title: 'Other' })
      .expect(201);
    const seen = async (person: Person, query = '') => {
      const events = await list(`/events?scope=all&per_page=100${query}`, v4(person));
      return events.map(({ id, action_name: action }) => [id, action] as const);
    };
    const all = await seen(member);
    expect(all.map(([, action]) => action)).toEqual([
      ...['opened', 'commented on', 'opened', 'created', 'pushed new', 'created'],
    ]);
    expect(all.map(([id]) => id)).toEqual(all.map(([id]) => id).sort((a, b) => b - a));
    // Guests see neither code nor confidential issues.
    const ofGuest = await seen(guest);
    expect(ofGuest.map(([, action]) => action)).toEqual(['created']);
    expect(await seen(member, '&sort=asc')).toEqual(all.toReversed());
    expect(await seen(member, '&action=pushed')).toEqual(
      all.filter(([, action]) => action === 'pushed new'),
    );
    const paged = v4(member).get('/events?scope=all&per_page=2&page=2');
    const { body, headers } = await paged.expect(200);
    expect((body as EventBody[]).map(({ id }) => id)).toEqual(all.slice(2, 4).map(([id]) => id));
    expect(headers).toMatchObject({ 'x-total': String(all.length) });
    expect(await list('/events', v4(member))).toEqual([]);
    await v4(member).get('/events?scope=mine').expect(400);
    await trellis.anonymous.v4.get('/events?scope=all').expect(401);
  });

  it('of many projects take as many statements as those of one', async () => {
    const [person, reader] = [await trellis.factories.user(), await trellis.factories.user()];
    const count = async () =>
      (await trellis.statements.during(() => list('/events?scope=all', v4(reader)))).length;
    const add = async () => {
      const made = await trellis.factories.project(person);
      await trellis.factories.addToProject(made, reader, 30);
    };
    await add();
    const one = await count();
    for (let more = 0; more < 3; more += 1) await add();
    expect(await count()).toBe(one);
  });

  it('of a public project need no credential; those of hidden ones do not exist for strangers', async () => {
    expect(await list(feed, trellis.anonymous.v4)).toHaveLength(9);
    await trellis.anonymous.v4.get('/events').expect(401);
    const ofOwner = `/users/${owner.user.username}/events?per_page=100`;
    expect(await list(ofOwner, trellis.anonymous.v4)).toEqual(await list(ofOwner, v4(stranger)));
    const hidden = await trellis.factories.project(owner);
    await v4(stranger)
      .get(`/projects/${String(hidden.id)}/events`)
      .expect(404);
  });
});
