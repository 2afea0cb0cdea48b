import { type Person, unique } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

describe('GET /projects/:id', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;
  let other: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    other = await trellis.factories.user();
  });

  it('shows private projects to members and administrators only', async () => {
    const project = await trellis.factories.project(owner);
    const path = `/projects/${String(project.id)}`;
    for (const client of [trellis.anonymous, trellis.as(other)]) {
      const answer = await client.get(path).expect(404);
      expect(answer.body).toEqual({ message: '404 Project Not Found' });
    }
    await trellis.as(owner).get(path).expect(200);
    await trellis.as(admin).get(path).expect(200);
  });

  it('shows internal projects to every account except external users', async () => {
    const project = await trellis.factories.project(owner, { visibilityLevel: 10 });
    const external = await trellis.factories.user({ external: true });
    const path = `/projects/${String(project.id)}`;
    await trellis.anonymous.get(path).expect(404);
    await trellis.as(external).get(path).expect(404);
    const answer = await trellis.as(other).get(path).expect(200);
    expect(answer.body).toMatchObject({
      id: project.id,
      permissions: { project_access: null, group_access: null },
    });
    expect(answer.body).not.toHaveProperty('runners_token');
  });

  it('shows public projects to everyone, without permissions to strangers', async () => {
    const project = await trellis.factories.project(owner, { visibilityLevel: 20 });
    const path = `/projects/${String(project.id)}`;
    for (const client of [trellis.anonymous, trellis.as({ token: 'no-such-token' })]) {
      const answer = await client.get(path).expect(200);
      expect(answer.body).toMatchObject({ id: project.id, public: true });
      expect(answer.body).not.toHaveProperty('permissions');
      expect(answer.body).not.toHaveProperty('runners_token');
    }
  });

  it('shows group, shares, memberships and the source of a fork', async () => {
    const { factories } = trellis;
    const group = await factories.group(owner, { visibilityLevel: 10, description: 'Our things' });
    const team = await factories.group(owner, { name: `Team ${unique()}` });
    const old = await factories.group(owner);
    const member = await factories.user();
    await factories.addToGroup(group, member, 30);
    const source = await factories.project(owner, { visibilityLevel: 10 });
    const project = await factories.project(owner, { namespaceId: group.id, visibilityLevel: 10 });
    await factories.addToProject(project, member, 20);
    await factories.share(project, team, 30);
    await factories.share(project, old, 40, new Date().toISOString().slice(0, 10));
    await trellis.rows(
      'INSERT INTO fork_links (forked_to_project_id, forked_from_project_id) VALUES ($1, $2)',
      [project.id, source.id],
    );
    const path = `/projects/${String(project.id)}`;
    const answer = await trellis.as(member).get(path).expect(200);
    expect(answer.body).toMatchObject({
      name_with_namespace: `${group.name} / ${project.path}`,
      path_with_namespace: `${group.path}/${project.path}`,
      namespace: {
        id: group.id,
        name: group.name,
        path: group.path,
        owner_id: null,
        description: 'Our things',
        avatar: { url: null },
        share_with_group_lock: false,
        visibility_level: 10,
      },
      permissions: {
        project_access: { access_level: 20, notification_level: 3 },
        group_access: { access_level: 30, notification_level: 3 },
      },
    });
    const body = answer.body as Record<string, unknown>;
    expect(body['shared_with_groups']).toEqual([
      { group_id: team.id, group_name: team.name, group_access_level: 30 },
    ]);
    expect(body['forked_from_project']).toEqual({
      id: source.id,
      name: source.path,
      name_with_namespace: `${owner.user.name} / ${source.path}`,
      path: source.path,
      path_with_namespace: source.fullPath,
      http_url_to_repo: `${trellis.url}/${source.fullPath}.git`,
      web_url: `${trellis.url}/${source.fullPath}`,
    });
    expect(body).not.toHaveProperty('owner');
    expect(body).not.toHaveProperty('runners_token');
    await trellis.rows('UPDATE projects SET visibility_level = 0 WHERE id = $1', [source.id]);
    const hidden = await trellis.as(member).get(path).expect(200);
    expect(hidden.body).not.toHaveProperty('forked_from_project');
    for (const person of [owner, admin]) {
      const seen = await trellis.as(person).get(path).expect(200);
      expect(seen.body).toMatchObject({ forked_from_project: { id: source.id } });
    }
  });

  it('shows the runners token to masters, direct or inherited', async () => {
    const { factories } = trellis;
    const group = await factories.group(owner);
    const project = await factories.project(owner, { namespaceId: group.id, visibilityLevel: 20 });
    const path = `/projects/${String(project.id)}`;
    const shown = async (person: Person) =>
      'runners_token' in ((await trellis.as(person).get(path).expect(200)).body as object);
    for (const [level, sees] of [
      [10, false],
      [30, false],
      [40, true],
    ] as const) {
      const [direct, byGroup, byShare] = [
        await factories.user(),
        await factories.user(),
        await factories.user(),
      ];
      await factories.addToProject(project, direct, level);
      await factories.addToGroup(group, byGroup, level);
      const team = await factories.group(byShare);
      await factories.share(project, team, level);
      for (const person of [direct, byGroup, byShare]) expect(await shown(person)).toBe(sees);
    }
  });

  it('omits the number of issues where issues are disabled', async () => {
    const project = await trellis.factories.project(owner);
    const path = `/projects/${String(project.id)}`;
    await trellis.as(owner).put(path, { issues_enabled: false }).expect(200);
    const answer = await trellis.as(owner).get(path).expect(200);
    expect(answer.body).toMatchObject({ issues_enabled: false });
    expect(answer.body).not.toHaveProperty('open_issues_count');
  });

  it('finds a project by number and by encoded path, case-insensitively', async () => {
    const project = await trellis.factories.project(owner);
    const encoded = encodeURIComponent(project.fullPath);
    for (const id of [String(project.id), encoded, encoded.toUpperCase(), encoded.toLowerCase()]) {
      const answer = await trellis.as(owner).get(`/projects/${id}`).expect(200);
      expect(answer.body).toMatchObject({
        id: project.id,
        permissions: {
          project_access: { access_level: 40, notification_level: 3 },
          group_access: null,
        },
        runners_token: expect.any(String) as string,
      });
    }
    await trellis
      .as(owner)
      .get(`/projects//${String(project.id)}/`)
      .expect(200);
  });

  it('returns 404 for unknown projects', async () => {
    const project = await trellis.factories.project(owner);
    const hostile = [
      '0',
      '999999',
      '2147483648',
      '9223372036854775808',
      '99999999999999999999999999',
      'no-slash',
      encodeURIComponent(`${project.fullPath}/more`),
      encodeURIComponent(encodeURIComponent(project.fullPath)),
      encodeURIComponent("x' OR '1'='1/y"),
      '..%2F..',
      '%2F',
      '-1',
    ];
    for (const id of hostile) {
      const answer = await trellis.as(owner).get(`/projects/${id}`).expect(404);
      expect(answer.body).toEqual({ message: '404 Project Not Found' });
    }
    const unencoded = await trellis.as(owner).get(`/projects/${project.fullPath}`).expect(404);
    expect(unencoded.body).toEqual({ error: '404 Not Found' });
  });
});
