import { Forks, madeProject } from '../../support/forks.js';
import { type MadeProject, type Person, unique } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

const TAKEN = { message: { name: ['has already been taken'], path: ['has already been taken'] } };

describe('POST /projects/fork/:id', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;
  let reader: Person;
  let projects: PushedProjects;
  let forks: Forks;
  let source: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    reader = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
    forks = new Forks(trellis);
  });
  afterAll(() => projects.remove());

  beforeEach(async () => {
    source = await trellis.factories.project(owner, { visibilityLevel: 20 });
  });

  it('requires a credential, the right to read code, and an existing target', async () => {
    await trellis.anonymous.post(`/projects/fork/${String(source.id)}`).expect(401);
    const hidden = await trellis.factories.project(owner);
    for (const id of [hidden.id, 99_999_999, encodeURIComponent('no/such')]) {
      const missing = await forks.ask(reader, { id }).expect(404);
      expect(missing.body).toEqual({ message: '404 Project Not Found' });
    }
    await trellis.factories.addToProject(hidden, reader, 10);
    await forks.ask(reader, hidden).expect(403);
    for (const namespace of [
      owner.user.username,
      99_999_999,
      'nobody',
      "' OR 1=1 --",
      '../x',
      '%',
    ]) {
      const nowhere = await forks.ask(reader, source, { namespace }).expect(404);
      expect(nowhere.body).toEqual({ message: '404 Target Namespace Not Found' });
    }
    const nul = await forks.ask(reader, source, { namespace: 'a\0b' }).expect(400);
    expect(nul.body).toEqual({ error: 'namespace is invalid' });
    await forks.ask(reader, source, { namespace: { a: 1 } }).expect(400);
    const { username } = owner.user;
    const [namespace] = await trellis.rows<{ id: number }>(
      'SELECT id FROM namespaces WHERE path = $1',
      [username],
    );
    await forks.ask(reader, source, { namespace: namespace?.id }).expect(404);
    expect(await forks.countOf(source)).toBe(0);
  });

  it('creates the fork at once, with the attributes of the source', async () => {
    const { project: pushed } = await projects.make({ visibilityLevel: 20 });
    await trellis
      .as(owner)
      .put(`/projects/${String(pushed.id)}`, {
        description: 'What it is for',
        builds_enabled: false,
        shared_runners_enabled: false,
        issues_enabled: false,
        lfs_enabled: false,
      })
      .expect(200);
    const answer = await forks.ask(reader, pushed).expect(200);
    const fork = madeProject(answer.body);
    expect(answer.body).toMatchObject({
      name: pushed.path,
      path: pushed.path,
      path_with_namespace: `${reader.user.username}/${pushed.path}`,
      description: 'What it is for',
      default_branch: null,
      builds_enabled: false,
      shared_runners_enabled: false,
      issues_enabled: true,
      lfs_enabled: true,
      public: true,
      visibility_level: 20,
      archived: false,
      creator_id: reader.user.id,
      owner: { id: reader.user.id },
      star_count: 0,
      forks_count: 0,
      runners_token: expect.stringMatching(/^[\w-]{20}$/) as string,
      forked_from_project: {
        id: pushed.id,
        name: pushed.path,
        name_with_namespace: `${owner.user.name} / ${pushed.path}`,
        path: pushed.path,
        path_with_namespace: pushed.fullPath,
        http_url_to_repo: `${trellis.url}/${pushed.fullPath}.git`,
        web_url: `${trellis.url}/${pushed.fullPath}`,
      },
    });
    expect(await forks.row(fork)).toMatchObject({
      repository_state: 'copying',
      default_branch: null,
    });
    expect(await forks.countOf(pushed)).toBe(1);
    expect(
      await trellis.rows('SELECT * FROM fork_links WHERE forked_to_project_id = $1', [fork.id]),
    ).toMatchObject([{ forked_from_project_id: pushed.id }]);
    expect(
      await trellis.rows(
        'SELECT user_id, access_level FROM project_members WHERE project_id = $1',
        [fork.id],
      ),
    ).toEqual([{ user_id: reader.user.id, access_level: 40 }]);
    expect(
      await trellis.rows('SELECT action, author_id, pushed_ref FROM events WHERE project_id = $1', [
        fork.id,
      ]),
    ).toEqual([{ action: 'created', author_id: reader.user.id, pushed_ref: null }]);
    expect(
      await trellis.rows(
        `SELECT payload FROM outbox WHERE name = 'copy-repository' AND payload->>'projectId' = $1`,
        [String(fork.id)],
      ),
    ).toEqual([{ payload: { projectId: fork.id, sourceId: pushed.id } }]);
    const branches = await trellis
      .as(reader)
      .get(`/projects/${String(fork.id)}/repository/branches`)
      .expect(200);
    expect(branches.body).toEqual([]);
  });

  it('accepts a target namespace by ID, path or name, case-insensitively', async () => {
    const group = await trellis.factories.group(owner, { name: `The group ${unique()}` });
    const [asked, refused] = [
      { namespace: group.path },
      await forks.ask(reader, source, { namespace: group.id }),
    ];
    expect(refused.status).toBe(404);
    await trellis.factories.addToGroup(group, reader, 30);
    await forks.ask(reader, source, asked).expect(404);
    await trellis.rows('UPDATE group_members SET access_level = 40 WHERE group_id = $1', [
      group.id,
    ]);
    const first = await forks
      .ask(reader, source, { namespace: group.path.toUpperCase() })
      .expect(200);
    expect(first.body).toMatchObject({ namespace: { id: group.id } });
    expect(first.body).not.toHaveProperty('owner');
    expect(
      await trellis.rows('SELECT 1 FROM project_members WHERE project_id = $1', [
        madeProject(first.body).id,
      ]),
    ).toEqual([]);
    const second = await trellis.factories.project(owner, { visibilityLevel: 20 });
    await forks.ask(reader, second, { namespace: group.name.toLowerCase() }).expect(200);
    const third = await trellis.factories.project(owner, { visibilityLevel: 20 });
    const byId = await forks
      .ask(
        reader,
        { id: encodeURIComponent(third.fullPath) },
        {
          namespace: String(group.id),
        },
      )
      .expect(200);
    expect(byId.body).toMatchObject({ namespace: { id: group.id } });
    await forks.ask(admin, source, { namespace: reader.user.username }).expect(200);
  });

  it('returns 409 where the name or a fork exists', async () => {
    expect((await forks.ask(owner, source).expect(409)).body).toEqual(TAKEN);
    await trellis.factories.project(reader, { name: source.path });
    expect((await forks.ask(reader, source).expect(409)).body).toEqual(TAKEN);
    for (const taken of ['name', 'path'] as const) {
      const third = await trellis.factories.user({ projectsLimit: 10 });
      const texts = { name: unique(), path: `free-${unique()}`, [taken]: source.path };
      await trellis.as(third).post('/projects', texts).expect(200);
      const refused = await forks.ask(third, source).expect(409);
      expect(refused.body).toEqual({ message: { [taken]: TAKEN.message[taken] } });
    }

    const other = await trellis.factories.user({ projectsLimit: 10 });
    const fork = await forks.make(other, source);
    await trellis
      .as(other)
      .put(`/projects/${String(fork.id)}`, { name: unique(), path: unique() })
      .expect(200);
    expect((await forks.ask(other, source).expect(409)).body).toEqual(TAKEN);
    expect(await forks.countOf(source)).toBe(1);
    const group = await trellis.factories.group(other);
    await forks.ask(other, source, { namespace: group.path }).expect(200);
    expect(await forks.countOf(source)).toBe(2);
    const again = await forks.ask(admin, fork, { namespace: group.path });
    expect(again.status).toBe(200);
  });

  it('creates one fork for concurrent requests, and counts every fork once', async () => {
    const two = await Promise.all([
      forks.ask(reader, source),
      forks.ask(reader, source),
      forks.ask(reader, source),
    ]);
    expect(two.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(two.find(({ status }) => status === 409)?.body).toEqual(TAKEN);

    const people = await Promise.all(Array.from({ length: 5 }, () => trellis.factories.user()));
    const made = await Promise.all(people.map((person) => forks.ask(person, source)));
    expect(made.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await forks.countOf(source)).toBe(6);
    await Promise.all(
      made.map(({ body }, index) =>
        trellis
          .as(people[index] as Person)
          .delete(`/projects/${String(madeProject(body).id)}`)
          .expect(200),
      ),
    );
    expect(await forks.countOf(source)).toBe(1);
    expect(
      await trellis.rows('SELECT 1 FROM fork_links WHERE forked_from_project_id = $1', [source.id]),
    ).toHaveLength(1);
  });

  it('respects the quota in personal namespaces', async () => {
    const limited = await trellis.factories.user({ projectsLimit: 0 });
    const answer = await forks.ask(limited, source).expect(403);
    expect(answer.body).toEqual({ error: [expect.stringContaining('Personal project creation')] });
    const group = await trellis.factories.group(limited);
    await forks.ask(limited, source, { namespace: group.path }).expect(200);
  });

  it('reports a taken path before the quota', async () => {
    const limited = await trellis.factories.user({ projectsLimit: 1 });
    await forks.ask(limited, source).expect(200);
    expect((await forks.ask(limited, source).expect(409)).body).toEqual(TAKEN);
    const another = await trellis.factories.project(owner, { visibilityLevel: 20 });
    const answer = await forks.ask(limited, another).expect(403);
    expect(answer.body).toEqual({ error: [expect.stringContaining('limit is 1 projects')] });
  });

  it('limits visibility to that of its group and unrestricted levels', async () => {
    const group = await trellis.factories.group(reader, { visibilityLevel: 10 });
    const inGroup = await forks.ask(reader, source, { namespace: group.path }).expect(200);
    expect(inGroup.body).toMatchObject({ visibility_level: 10, public: false });
    await trellis.rows('UPDATE application_settings SET restricted_visibility_levels = $1', [[2]]);
    try {
      const restricted = await forks.ask(reader, source).expect(200);
      expect(restricted.body).toMatchObject({ visibility_level: 10 });
      const exempt = await forks.ask(admin, source).expect(200);
      expect(exempt.body).toMatchObject({ visibility_level: 20 });
    } finally {
      await trellis.rows('UPDATE application_settings SET restricted_visibility_levels = NULL');
    }
    const hidden = await trellis.factories.project(owner);
    await trellis.factories.addToProject(hidden, reader, 20);
    const fork = await forks.ask(reader, hidden).expect(200);
    expect(fork.body).toMatchObject({ visibility_level: 0 });
  });
});
