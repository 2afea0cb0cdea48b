import { type MadeGroup, type Person, unique } from '../../support/factories.js';
import { REFUSED_GROUPS, TAKEN } from '../../support/refused-groups.js';
import { Trellis } from '../../support/trellis.js';

describe('PUT /groups/:id', () => {
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

  const texts = () => ({ name: `Name ${unique()}`, path: `path-${unique()}` });
  const pathTo = ({ id }: { id: number }) => `/groups/${String(id)}`;

  async function during(settings: string, work: () => Promise<void>): Promise<void> {
    await trellis.rows(`UPDATE application_settings SET ${settings}`);
    try {
      await work();
    } finally {
      await trellis.rows(
        'UPDATE application_settings SET restricted_visibility_levels = NULL, default_group_visibility = NULL',
      );
    }
  }

  let group: MadeGroup;

  beforeEach(async () => {
    group = await trellis.factories.group(owner, { visibilityLevel: 10 });
  });

  it('requires a credential', async () => {
    await trellis.anonymous.put(pathTo(group), { name: 'x' }).expect(401);
  });

  it('requires at least one parameter, and well-formed ones', async () => {
    const none =
      'name, path, description, visibility_level, lfs_enabled, request_access_enabled are missing, at least one parameter must be provided';
    const cases: [object, string][] = [
      [{}, none],
      [{ id: group.id, unknown: 1, name: null }, none],
      [{ name: ['x'] }, 'name is invalid'],
      [{ path: { x: 1 } }, 'path is invalid'],
      [{ visibility_level: 30 }, 'visibility_level does not have a valid value'],
      [{ lfs_enabled: 'perhaps' }, 'lfs_enabled is invalid'],
    ];
    for (const [body, error] of cases) {
      const answer = await trellis.as(owner).put(pathTo(group), body).expect(400);
      expect([body, answer.body]).toEqual([body, { error }]);
    }
  });

  it('returns errors by field, and changes nothing', async () => {
    for (const [wrong, message] of REFUSED_GROUPS) {
      const body = { lfs_enabled: false, ...wrong };
      const answer = await trellis.as(owner).put(pathTo(group), body).expect(400);
      expect([wrong, answer.body]).toEqual([wrong, { message }]);
    }
    const [row] = await trellis.rows(
      'SELECT name, path, lfs_enabled FROM namespaces WHERE id = $1',
      [group.id],
    );
    expect(row).toEqual({ name: group.name, path: group.path, lfs_enabled: true });
  });

  it('is limited to owners and administrators; others get 404 for hidden groups', async () => {
    const master = await trellis.factories.user();
    await trellis.factories.addToGroup(group, master, 40);
    const body = { description: 'changed' };
    for (const person of [master, other]) {
      const answer = await trellis.as(person).put(pathTo(group), body).expect(403);
      expect(answer.body).toEqual({ message: '403 Forbidden' });
    }
    const hidden = await trellis.factories.group(owner, { visibilityLevel: 0 });
    const external = await trellis.factories.user({ external: true });
    for (const [person, place] of [
      [other, hidden],
      [external, group],
      [owner, { id: 999_999 }],
    ] as const) {
      const answer = await trellis.as(person).put(pathTo(place), body).expect(404);
      expect(answer.body).toEqual({ message: '404 Group Not Found' });
    }
    await trellis.as(admin).put(pathTo(hidden), body).expect(200);
  });

  it('returns 404 for personal namespaces', async () => {
    const [namespace] = await trellis.rows<{ id: number }>(
      'SELECT id FROM namespaces WHERE owner_id = $1',
      [owner.user.id],
    );
    for (const person of [owner, admin]) {
      await trellis.as(person).put(pathTo(namespace!), { description: 'mine' }).expect(404);
      await trellis.as(person).put(`/groups/${owner.user.username}`, { path: 'x' }).expect(404);
    }
  });

  it('updates the given fields and returns the group with its projects', async () => {
    const project = await trellis.factories.project(owner, { namespaceId: group.id });
    const given = {
      name: `New ${unique()}`,
      path: `new-${unique()}`,
      description: 'New description',
      visibility_level: 20,
      lfs_enabled: false,
      request_access_enabled: true,
    };
    const answer = await trellis.as(owner).put(pathTo(group), given).expect(200);
    expect(answer.body).toEqual({
      id: group.id,
      ...given,
      avatar_url: null,
      web_url: `${trellis.url}/groups/${given.path}`,
      projects: [expect.objectContaining({ id: project.id })],
      shared_projects: [],
    });
    const kept = await trellis.as(owner).put(pathTo(group), { lfs_enabled: true }).expect(200);
    expect(kept.body).toMatchObject({ ...given, lfs_enabled: true });
    const cleared = await trellis.as(owner).put(pathTo(group), { description: null }).expect(200);
    expect(cleared.body).toMatchObject({ ...given, lfs_enabled: true, description: '' });
  });

  it('finds the group by its path too, case-insensitively', async () => {
    const body = { description: 'by path' };
    const answer = await trellis
      .as(owner)
      .put(`/groups/${group.path.toUpperCase()}`, body)
      .expect(200);
    expect(answer.body).toMatchObject({ id: group.id, ...body });
  });

  it('moves the addresses of its projects with its path; the old ones return 404', async () => {
    const project = await trellis.factories.project(owner, { namespaceId: group.id });
    const path = `moved-${unique()}`;
    await trellis.as(owner).put(pathTo(group), { path }).expect(200);
    const moved = await trellis
      .as(owner)
      .get(`/projects/${encodeURIComponent(`${path}/${project.path}`)}`)
      .expect(200);
    expect(moved.body).toMatchObject({
      id: project.id,
      path_with_namespace: `${path}/${project.path}`,
      http_url_to_repo: `${trellis.url}/${path}/${project.path}.git`,
      web_url: `${trellis.url}/${path}/${project.path}`,
    });
    const old = encodeURIComponent(`${group.path}/${project.path}`);
    await trellis.as(owner).get(`/projects/${old}`).expect(404);
    await trellis.as(owner).get(`/groups/${group.path}`).expect(404);
    await trellis
      .as(other)
      .post('/groups', { ...texts(), path: group.path })
      .expect(200);
  });

  it('allows a path to change its case', async () => {
    const path = group.path.toUpperCase();
    const answer = await trellis.as(owner).put(pathTo(group), { path }).expect(200);
    expect(answer.body).toMatchObject({ path });
  });

  it('refuses taken names and paths, also concurrently', async () => {
    const taken = await trellis.factories.group(owner);
    const body = { name: taken.name, path: taken.path.toUpperCase() };
    const answer = await trellis.as(owner).put(pathTo(group), body).expect(400);
    expect(answer.body).toEqual({ message: { name: TAKEN, path: TAKEN } });
    const groups = await Promise.all(
      Array.from({ length: 5 }, () => trellis.factories.group(owner)),
    );
    const path = `wanted-${unique()}`;
    const answers = await Promise.all(
      groups.map((one) => trellis.as(owner).put(pathTo(one), { path })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map((one) => one.body as unknown)).toEqual(
      refused.map(() => ({ message: { path: TAKEN } })),
    );
  });

  it('refuses a visibility below that of a project', async () => {
    const wide = await trellis.factories.group(owner, { visibilityLevel: 20 });
    const project = await trellis.factories.project(owner, {
      namespaceId: wide.id,
      visibilityLevel: 10,
    });
    const lower = (level: number) =>
      trellis.as(owner).put(pathTo(wide), { visibility_level: level });
    const answer = await lower(0).expect(400);
    const text = 'private is not allowed since there are projects with higher visibility.';
    expect(answer.body).toEqual({ message: { visibility_level: [text] } });
    await lower(10).expect(200);
    await trellis
      .as(owner)
      .delete(`/projects/${String(project.id)}`)
      .expect(200);
    const lowered = await lower(0).expect(200);
    expect(lowered.body).toMatchObject({ visibility_level: 0, projects: [] });
  });

  it('never ends up below a project that is created concurrently', async () => {
    for (let round = 0; round < 4; round += 1) {
      const wide = await trellis.factories.group(owner, { visibilityLevel: 20 });
      const body = { name: unique(), namespace_id: wide.id, visibility_level: 20 };
      const answers = await Promise.all([
        trellis.as(owner).post('/projects', body),
        trellis.as(owner).put(pathTo(wide), { visibility_level: 0 }),
      ]);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 400)).toHaveLength(1);
    }
  });

  it('reserves restricted levels for administrators, and keeps existing ones', () =>
    during("restricted_visibility_levels = '{1,2}'", async () => {
      const change = (person: Person, level: number) =>
        trellis.as(person).put(pathTo(group), { visibility_level: level });
      await change(owner, 10).expect(200);
      const answer = await change(owner, 20).expect(400);
      const text = 'public has been restricted by your administrator';
      expect(answer.body).toEqual({ message: { visibility_level: [text] } });
      await change(admin, 20).expect(200);
      await change(owner, 0).expect(200);
      await change(owner, 10).expect(400);
    }));
});
