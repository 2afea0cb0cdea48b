import { type Cast, makeCast, ROLES, type Role } from '../../support/cast.js';
import type { Person } from '../../support/factories.js';
import { summaryOf } from '../../support/summaries.js';
import { Trellis } from '../../support/trellis.js';

interface EventBody {
  action_name: string;
  project_id: number;
}

describe('GET /users/:id/events', () => {
  let trellis: Trellis;
  let cast: Cast;
  let author: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    cast = await makeCast(trellis);
    author = await trellis.factories.user({ projectsLimit: 1000 });
  }, 120_000);

  const pathOf = ({ user }: Person) => `/users/${String(user.id)}/events`;

  const list = async (reader: Person, person: Person, query = '') => {
    const { body, headers } = await trellis
      .as(reader)
      .get(`${pathOf(person)}${query}`)
      .expect(200);
    const total = (headers as Record<string, string>)['x-total'];
    return { events: body as EventBody[], total, headers: headers as Record<string, string> };
  };

  const record = (projectId: number, { user }: Person, ...actions: string[]) =>
    trellis.rows(
      `INSERT INTO events (project_id, author_id, action)
       SELECT $1, $2, action FROM unnest($3::text[]) WITH ORDINALITY AS given (action, place)
        ORDER BY place`,
      [projectId, user.id, actions],
    );

  it('requires a credential, a number and well-formed pages', async () => {
    await trellis.anonymous.get(pathOf(author)).expect(401);
    await trellis
      .as(cast.people.blocked as Person)
      .get(pathOf(author))
      .expect(401);
    for (const id of ['zoe', '1.5', '-1', author.user.username, '1%20OR%201=1', '１']) {
      const answer = await trellis
        .as(author)
        .get(`/users/${encodeURI(id)}/events`)
        .expect(404);
      expect(answer.body).toEqual({ error: '404 Not Found' });
    }
    const malformed = await trellis
      .as(author)
      .get(`${pathOf(author)}?per_page=x`)
      .expect(400);
    expect(malformed.body).toEqual({ error: 'per_page is invalid' });
  });

  it('returns 404 for unknown users', async () => {
    const gone = await trellis.factories.user();
    const admin = cast.people.admin as Person;
    await trellis
      .as(admin)
      .delete(`/users/${String(gone.user.id)}`)
      .expect(200);
    const [ghost] = await trellis.rows<{ id: number }>('SELECT id FROM users WHERE ghost');
    for (const id of [0, gone.user.id, ghost?.id, 2_147_483_647, 2_147_483_648, '9'.repeat(40)]) {
      const answer = await trellis
        .as(admin)
        .get(`/users/${String(id)}/events`)
        .expect(404);
      expect(answer.body).toEqual({ message: '404 User Not Found' });
    }
  });

  it('lists the events of a user, newest first, with all fields', async () => {
    const person = await trellis.factories.user();
    const project = await trellis.factories.project(person, { visibilityLevel: 20 });
    await record(project.id, author, 'joined');
    await record(project.id, person, 'imported');
    const { body } = await trellis.as(author).get(pathOf(person)).expect(200);
    const event = (action: string) => ({
      title: null,
      project_id: project.id,
      action_name: action,
      target_id: null,
      target_type: null,
      target_title: null,
      author_id: person.user.id,
      author_username: person.user.username,
      author: summaryOf(trellis, person),
      data: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
    });
    expect(body).toEqual([event('imported'), event('created')]);
  });

  it('still lists events of blocked accounts', async () => {
    const person = await trellis.factories.user();
    await trellis.factories.project(person, { visibilityLevel: 20 });
    await trellis.rows(`UPDATE users SET state = 'blocked' WHERE id = $1`, [person.user.id]);
    const { events } = await list(author, person);
    expect(events).toMatchObject([{ action_name: 'created', author: { state: 'blocked' } }]);
  });

  it('lists events of readable projects, and pushes where the caller may read the code', async () => {
    const { projects, people } = cast;
    const person = await trellis.factories.user();
    for (const visibility of [0, 10, 20] as const) {
      await record(projects[visibility].id, person, 'joined', 'pushed new', 'deleted', 'left');
    }
    const all = ['left', 'deleted', 'pushed new', 'joined'];
    const some = ['left', 'joined'];
    const ofPrivate = (role: Role) => {
      if (/^(?:stranger|external|formerMember)$/.test(role)) return [];
      return /guest/i.test(role) ? some : all;
    };
    for (const role of ROLES.filter((each) => !/anonymous|blocked/.test(each))) {
      const { events, total } = await list(people[role] as Person, person, '?per_page=100');
      const expected = [
        ...all.map((action) => [20, action]),
        ...(role === 'external' ? [] : all).map((action) => [10, action]),
        ...ofPrivate(role).map((action) => [0, action]),
      ];
      const visibilityOf = ({ project_id: id }: EventBody) =>
        ([0, 10, 20] as const).find((visibility) => projects[visibility].id === id);
      expect([
        role,
        total,
        events.map((event) => [visibilityOf(event), event.action_name]),
      ]).toEqual([role, String(expected.length), expected]);
    }
    const { events } = await list(people.guest as Person, person, '?per_page=4&page=3');
    expect(events.map(({ action_name }) => action_name)).toEqual(['left', 'joined']);
  });

  it('follows current memberships of groups and shares', async () => {
    const person = await trellis.factories.user();
    const [reader, groupOwner] = [await trellis.factories.user(), await trellis.factories.user()];
    const group = await trellis.factories.group(groupOwner, { visibilityLevel: 0 });
    const project = await trellis.factories.project(groupOwner, { namespaceId: group.id });
    const other = await trellis.factories.group(groupOwner);
    await record(project.id, person, 'joined', 'pushed to');
    const actions = async () =>
      (await list(reader, person)).events.map(({ action_name }) => action_name);
    expect(await actions()).toEqual([]);
    await trellis.factories.share(project, other, 10);
    await trellis.factories.addToGroup(other, reader, 40);
    expect(await actions()).toEqual(['joined']);
    await trellis.rows('UPDATE project_group_links SET group_access = 20 WHERE project_id = $1', [
      project.id,
    ]);
    expect(await actions()).toEqual(['pushed to', 'joined']);
    await trellis.rows('UPDATE namespaces SET share_with_group_lock = true WHERE id = $1', [
      group.id,
    ]);
    expect(await actions()).toEqual([]);
    await trellis.factories.addToGroup(group, reader, 10);
    expect(await actions()).toEqual(['joined']);
    await trellis.factories.addToProject(project, reader, 20);
    expect(await actions()).toEqual(['pushed to', 'joined']);
    await trellis.rows(`UPDATE group_members SET expires_at = '2020-01-01' WHERE user_id = $1`, [
      reader.user.id,
    ]);
    await trellis.rows(`UPDATE project_members SET expires_at = '2020-01-01' WHERE user_id = $1`, [
      reader.user.id,
    ]);
    expect(await actions()).toEqual([]);
    expect((await list(person, person)).events).toEqual([]);
  });

  it('excludes events of deleted projects and groups', async () => {
    const owner = await trellis.factories.user();
    const person = await trellis.factories.user();
    const project = await trellis.factories.project(owner, { visibilityLevel: 20 });
    const group = await trellis.factories.group(owner);
    const inGroup = await trellis.factories.project(owner, {
      namespaceId: group.id,
      visibilityLevel: 20,
    });
    await record(project.id, person, 'joined');
    await record(inGroup.id, person, 'joined');
    const admin = cast.people.admin as Person;
    expect((await list(admin, person)).total).toBe('2');
    await trellis
      .as(owner)
      .delete(`/projects/${String(project.id)}`)
      .expect(200);
    expect((await list(admin, person)).total).toBe('1');
    await trellis
      .as(owner)
      .delete(`/groups/${String(group.id)}`)
      .expect(200);
    expect((await list(admin, person)).total).toBe('0');
  });

  it('counts to 10,000, with pages beyond', async () => {
    const person = await trellis.factories.user();
    const project = await trellis.factories.project(author, { visibilityLevel: 20 });
    await trellis.rows(
      `INSERT INTO events (project_id, author_id, action)
       SELECT $1, $2, 'joined' FROM generate_series(1, 10000)`,
      [project.id, person.user.id],
    );
    const exact = await list(author, person, '?per_page=100&page=100');
    expect([exact.total, exact.headers['x-next-page'], exact.events.length]).toEqual([
      '10000',
      '',
      100,
    ]);
    await record(project.id, person, 'left');
    const more = await list(author, person, '?per_page=100&page=100');
    expect([more.total, more.headers['x-next-page'], more.events.length]).toEqual([
      undefined,
      '101',
      100,
    ]);
    expect((await list(author, person, '?per_page=100&page=101')).events).toHaveLength(1);
    expect((await list(author, person, '?page=2147483647')).events).toEqual([]);
  });

  it('takes the same number of statements for one event as for a hundred', async () => {
    const person = await trellis.factories.user();
    const project = await trellis.factories.project(author, { visibilityLevel: 20 });
    await record(project.id, person, 'joined');
    const path = `${pathOf(person)}?per_page=100`;
    const measure = () => trellis.statements.during(() => trellis.as(author).get(path).expect(200));
    const one = await measure();
    await trellis.rows(
      `INSERT INTO events (project_id, author_id, action)
       SELECT id, $1, 'joined' FROM projects, generate_series(1, 100) WHERE creator_id = $2`,
      [person.user.id, author.user.id],
    );
    const many = await measure();
    expect(many).toHaveLength(one.length);
    expect(many.length).toBeLessThanOrEqual(6);
  });
});
