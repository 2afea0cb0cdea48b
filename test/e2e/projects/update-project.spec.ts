import { type MadeProject, type Person, unique } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

const PARAMETERS = [
  'name',
  'path',
  'default_branch',
  'description',
  'issues_enabled',
  'merge_requests_enabled',
  'builds_enabled',
  'wiki_enabled',
  'snippets_enabled',
  'container_registry_enabled',
  'shared_runners_enabled',
  'public',
  'visibility_level',
  'import_url',
  'public_builds',
  'only_allow_merge_if_build_succeeds',
  'only_allow_merge_if_all_discussions_are_resolved',
  'lfs_enabled',
  'request_access_enabled',
].join(', ');

const TAKEN = ['has already been taken'];

describe('PUT /projects/:id', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;
  let master: Person;
  let other: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    master = await trellis.factories.user();
    other = await trellis.factories.user();
  });

  const pathOf = ({ id }: MadeProject) => `/projects/${String(id)}`;
  const make = (level = 0) => trellis.factories.project(owner, { visibilityLevel: level });
  const as = (person: Person) => trellis.as(person);

  async function row({ id }: MadeProject): Promise<Record<string, unknown>> {
    const rows = await trellis.rows('SELECT * FROM projects WHERE id = $1', [id]);
    return rows[0]!;
  }

  it('requires a master', async () => {
    const project = await make(20);
    const secret = await make();
    const body = { description: 'mine now' };
    await trellis.anonymous.put(pathOf(project), body).expect(401);
    await as(other).put(pathOf(secret), body).expect(404);
    await as(other).put(pathOf(project), body).expect(403);
    const developer = await trellis.factories.user();
    await trellis.factories.addToProject(project, developer, 30);
    const refused = await as(developer).put(pathOf(project), body).expect(403);
    expect(refused.body).toEqual({ message: '403 Forbidden' });
    expect(await row(project)).toMatchObject({ description: null });
    await trellis.factories.addToProject(project, master, 40);
    await as(master).put(pathOf(project), body).expect(200);
    const throughShare = await trellis.factories.group(other);
    await trellis.factories.share(project, throughShare, 40);
    await as(other).put(pathOf(project), { description: 'by share' }).expect(200);
    expect(await row(project)).toMatchObject({ description: 'by share' });
  });

  it('returns 400 for malformed parameters and for an empty update', async () => {
    const project = await make();
    const missing = `${PARAMETERS} are missing, at least one parameter must be provided`;
    const cases: [object, string][] = [
      [{}, missing],
      [{ unknown: 1, namespace_id: 5, name: null, path: null }, missing],
      [{ name: { a: 1 } }, 'name is invalid'],
      [{ path: ['a'] }, 'path is invalid'],
      [{ description: 'a\0b' }, 'description is invalid'],
      [{ issues_enabled: 'perhaps' }, 'issues_enabled is invalid'],
      [{ visibility_level: 15 }, 'visibility_level does not have a valid value'],
    ];
    for (const [body, error] of cases) {
      const answer = await as(owner).put(pathOf(project), body).expect(400);
      expect(answer.body).toEqual({ error });
    }
  });

  it('returns errors by field, and changes nothing', async () => {
    const project = await make();
    const before = await row(project);
    const pattern = [expect.stringContaining('can contain only')];
    const cases: [object, Record<string, unknown>][] = [
      [{ name: ' ' }, { name: ["can't be blank"] }],
      [{ path: '' }, { path: ["can't be blank"] }],
      [
        { name: '-x', path: 'a/b' },
        { name: pattern, path: pattern },
      ],
      [{ path: '..' }, { path: pattern }],
      [{ path: 'wikis' }, { path: ['wikis is a reserved name'] }],
      [{ path: 'р-cyrillic' }, { path: pattern }],
      [{ name: 'n'.repeat(256) }, { name: ['is too long (maximum is 255 characters)'] }],
      [
        { description: 'd'.repeat(2001), name: 'fine' },
        { description: ['is too long (maximum is 2000 characters)'] },
      ],
      [{ import_url: 'ftp://example.com/x.git' }, { import_url: ['is not a valid URL'] }],
      [{ default_branch: 'a..b', issues_enabled: false }, { default_branch: ['is invalid'] }],
    ];
    for (const [body, message] of cases) {
      const answer = await as(owner).put(pathOf(project), body).expect(400);
      expect(answer.body).toEqual({ message });
    }
    expect(await row(project)).toEqual(before);
  });

  it('updates every field, returns the project and moves only updated_at', async () => {
    const project = await make();
    const before = await row(project);
    const given = {
      name: `Renamed ${unique()}`,
      path: `Moved.${unique()}`,
      description: 'What it is for',
      issues_enabled: false,
      merge_requests_enabled: false,
      builds_enabled: false,
      wiki_enabled: false,
      snippets_enabled: true,
      container_registry_enabled: false,
      shared_runners_enabled: false,
      visibility_level: 20,
      public_builds: false,
      only_allow_merge_if_build_succeeds: true,
      only_allow_merge_if_all_discussions_are_resolved: true,
      lfs_enabled: false,
      request_access_enabled: true,
    };
    const answer = await as(owner).put(pathOf(project), given).expect(200);
    const fullPath = `${owner.user.username}/${given.path}`;
    expect(answer.body).toMatchObject({
      ...given,
      id: project.id,
      public: true,
      path_with_namespace: fullPath,
      web_url: `${trellis.url}/${fullPath}`,
      runners_token: expect.stringMatching(/^[\w-]{20}$/),
    });
    expect(answer.body).not.toHaveProperty('permissions');
    expect(answer.body).not.toHaveProperty('open_issues_count');
    const after = await row(project);
    expect(Number(after['updated_at'])).toBeGreaterThan(Number(before['updated_at']));
    expect(after['last_activity_at']).toEqual(before['last_activity_at']);
    expect(after['created_at']).toEqual(before['created_at']);
    await as(owner)
      .get(`/projects/${encodeURIComponent(fullPath)}`)
      .expect(200);
    await as(owner)
      .get(`/projects/${encodeURIComponent(project.fullPath)}`)
      .expect(404);
  });

  it('clears the description by null, and stores an empty one', async () => {
    const project = await make();
    for (const description of ['text', null, '']) {
      const answer = await as(owner).put(pathOf(project), { description }).expect(200);
      expect(answer.body).toMatchObject({ description });
    }
  });

  it('prefers visibility_level to public', async () => {
    const project = await make(20);
    const change = async (body: object) =>
      (await as(owner).put(pathOf(project), body).expect(200)).body as object;
    expect(await change({ public: true, visibility_level: 10 })).toMatchObject({
      visibility_level: 10,
    });
    expect(await change({ public: 'true' })).toMatchObject({ visibility_level: 20 });
    expect(await change({ public: '0' })).toMatchObject({ visibility_level: 0, public: false });
  });

  it('requires an owner for effective changes of name and visibility', async () => {
    const project = await make();
    await trellis.factories.addToProject(project, master, 40);
    const read = await as(master).get(pathOf(project)).expect(200);
    const echoed = { ...(read.body as object), description: 'echoed' };
    const echo = await as(master).put(pathOf(project), echoed).expect(200);
    expect(echo.body).toMatchObject({ description: 'echoed', visibility_level: 0 });
    for (const body of [{ name: unique() }, { visibility_level: 10 }, { public: true }]) {
      const refused = await as(master)
        .put(pathOf(project), { ...body, description: 'refused' })
        .expect(403);
      expect(refused.body).toEqual({ message: '403 Forbidden' });
    }
    const path = `by-master-${unique()}`;
    const moved = await as(master).put(pathOf(project), { path }).expect(200);
    expect(moved.body).toMatchObject({ path, description: 'echoed' });
    await as(admin).put(pathOf(project), { name: unique(), visibility_level: 10 }).expect(200);
    const group = await trellis.factories.group(owner);
    const inGroup = await trellis.factories.project(owner, { namespaceId: group.id });
    await trellis.factories.addToGroup(group, master, 50);
    await as(master).put(pathOf(inGroup), { name: unique() }).expect(200);
  });

  it('limits visibility to that of group, fork source and settings', async () => {
    const group = await trellis.factories.group(owner, { visibilityLevel: 10 });
    const inGroup = await trellis.factories.project(owner, { namespaceId: group.id });
    const refused = await as(owner).put(pathOf(inGroup), { visibility_level: 20 }).expect(400);
    expect(refused.body).toEqual({
      message: { visibility_level: ['public is not allowed in a internal group.'] },
    });
    await as(admin).put(pathOf(inGroup), { visibility_level: 20 }).expect(400);
    await as(owner).put(pathOf(inGroup), { visibility_level: 10 }).expect(200);
    const fork = await make();
    const source = await make();
    await trellis.rows(
      'INSERT INTO fork_links (forked_to_project_id, forked_from_project_id) VALUES ($1, $2)',
      [fork.id, source.id],
    );
    const above = await as(owner).put(pathOf(fork), { public: true }).expect(400);
    expect(above.body).toEqual({
      message: {
        visibility_level: [
          'public is not allowed since the fork source project has lower visibility.',
        ],
      },
    });
    await trellis.rows(
      "UPDATE application_settings SET restricted_visibility_levels = '{1,2}'::smallint[]",
    );
    try {
      const kept = await as(owner).put(pathOf(inGroup), { visibility_level: 10, name: unique() });
      expect(kept.status).toBe(200);
      const restricted = await as(owner).put(pathOf(source), { visibility_level: 10 }).expect(400);
      expect(restricted.body).toEqual({
        message: { visibility_level: ['internal has been restricted by your administrator'] },
      });
      await as(admin).put(pathOf(source), { visibility_level: 10 }).expect(200);
    } finally {
      await trellis.rows('UPDATE application_settings SET restricted_visibility_levels = NULL');
    }
  });

  it('assigns a name or path once for concurrent requests', async () => {
    const projects = await Promise.all([make(), make(), make(), make()]);
    for (const field of ['name', 'path']) {
      const value = `wanted-${unique()}`;
      const answers = await Promise.all(
        projects.map((project) => as(owner).put(pathOf(project), { [field]: value })),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      for (const refused of answers.filter(({ status }) => status !== 200)) {
        expect(refused.status).toBe(400);
        expect(refused.body).toEqual({ message: { [field]: TAKEN } });
      }
    }
    const [one, two] = projects;
    const { path } = await row(one);
    const shouted = { path: String(path).toUpperCase() };
    await as(owner).put(pathOf(two), shouted).expect(400);
    await as(owner).put(pathOf(one), shouted).expect(200);
    const names = { name: String((await row(one))['name']), path: shouted.path };
    const both = await as(owner).put(pathOf(two), names).expect(400);
    expect(both.body).toEqual({ message: { name: TAKEN, path: TAKEN } });
    const nameAlone = { name: names.name, path: `free-${unique()}` };
    const named = await as(owner).put(pathOf(two), nameAlone).expect(400);
    expect(named.body).toEqual({ message: { name: TAKEN } });
    const wiki = { path: `${String(path)}.wiki` };
    const refused = await as(owner).put(pathOf(two), wiki).expect(400);
    expect(refused.body).toEqual({ message: { path: TAKEN } });
  });

  it('accepts the forms of clients', async () => {
    const project = await make();
    const form = await as(owner)
      .call('put', pathOf(project))
      .type('form')
      .send({ name: project.path, description: 'by form', issues_enabled: 'off' })
      .expect(200);
    expect(form.body).toMatchObject({ description: 'by form', issues_enabled: false });
    const query = await as(owner)
      .call('put', `${pathOf(project)}?description=by+query&id=999999`)
      .expect(200);
    expect(query.body).toMatchObject({ id: project.id, description: 'by query' });
  });
});
