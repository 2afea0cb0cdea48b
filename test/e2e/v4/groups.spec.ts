import { type MadeGroup, type Person, unique } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

describe('groups of version 4', () => {
  let trellis: Trellis;
  let owner: Person;
  let member: Person;
  let stranger: Person;
  let admin: Person;
  let group: MadeGroup;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    const { factories } = trellis;
    [owner, member, stranger] = [
      await factories.user(),
      await factories.user(),
      await factories.user(),
    ];
    admin = await factories.admin();
    group = await factories.group(owner, { visibilityLevel: 0, description: 'Four players' });
    await factories.addToGroup(group, member, 30);
  });

  const shown = (of: MadeGroup = group) => ({
    id: of.id,
    web_url: `${trellis.url}/groups/${of.path}`,
    name: of.name,
    path: of.path,
    description: 'Four players',
    visibility: 'private',
    share_with_group_lock: false,
    lfs_enabled: true,
    avatar_url: null,
    request_access_enabled: false,
    full_name: of.name,
    full_path: of.path,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
    parent_id: null,
  });

  it('lists the groups of the caller, and those that the caller owns', async () => {
    const mine = await trellis.as(member).v4.get('/groups').expect(200);
    expect(mine.body).toEqual([shown()]);
    expect((await trellis.as(member).v4.get('/groups?owned=true')).body).toEqual([]);
    expect((await trellis.as(owner).v4.get('/groups?owned=true')).body).toEqual([shown()]);
    const least = (level: number) =>
      trellis.as(member).v4.get(`/groups?min_access_level=${String(level)}`);
    expect((await least(30)).body).toEqual([shown()]);
    expect((await least(40)).body).toEqual([]);
    expect((await trellis.as(member).v4.get('/groups?visibility=public')).body).toEqual([]);
  });

  it('reads a group by id and path with its projects, without them on request', async () => {
    const project = await trellis.factories.project(owner, { namespaceId: group.id });
    for (const name of [String(group.id), group.path]) {
      const answer = await trellis.as(member).v4.get(`/groups/${name}`).expect(200);
      expect(answer.body).toEqual({
        ...shown(),
        projects: [expect.objectContaining({ id: project.id, visibility: 'private' })],
        shared_projects: [],
      });
      const brief = await trellis.as(member).v4.get(`/groups/${name}?with_projects=false`);
      expect(brief.body).toEqual(shown());
    }
    const absent = await trellis.as(stranger).v4.get(`/groups/${group.path}`).expect(404);
    expect(absent.body).toEqual({ message: '404 Group Not Found' });
  });

  it('lists the projects of a group, and those shared with it unless excluded', async () => {
    const { factories } = trellis;
    const empty = await factories.group(owner, { visibilityLevel: 0 });
    const own = await factories.project(owner, { namespaceId: empty.id });
    const shared = await factories.project(owner);
    await factories.share(shared, empty, 30);
    const list = async (query: string) => {
      const path = `/groups/${empty.path}/projects?order_by=id&sort=asc${query}`;
      const answer = await trellis.as(owner).v4.get(path).expect(200);
      return (answer.body as { id: number }[]).map(({ id }) => id);
    };
    expect(await list('')).toEqual([own.id, shared.id]);
    expect(await list('&with_shared=false&include_subgroups=true')).toEqual([own.id]);
    expect(await list(`&search=${own.path}&simple=true`)).toEqual([own.id]);
  });

  it('creates, changes and deletes a group, which version 3 shows', async () => {
    const path = `quartet-${unique()}`;
    const body = { name: path, path, visibility: 'internal' };
    const made = await trellis.as(owner).v4.post('/groups', body).expect(201);
    const { id } = made.body as { id: number };
    expect(made.body).toEqual({
      ...shown({ id, path, name: path }),
      ...{ visibility: 'internal', description: '' },
    });
    const changed = await trellis.as(owner).v4.put(`/groups/${path}`, { description: 'Strings' });
    expect(changed.body).toMatchObject({ id, description: 'Strings', projects: [] });
    const old = await trellis.as(owner).get(`/groups/${path}`).expect(200);
    expect(old.body).toMatchObject({ id, visibility_level: 10, description: 'Strings' });
    const deleted = await trellis.as(owner).v4.delete(`/groups/${path}`).expect(202);
    expect(deleted.body).toEqual({ message: '202 Accepted' });
    await trellis.as(owner).v4.get(`/groups/${path}`).expect(404);
  });

  it('returns 400 for a level instead of a visibility, and 403 to members who are no owners', async () => {
    const invalid = await trellis.as(owner).v4.put(`/groups/${group.path}`, { visibility: 20 });
    expect([invalid.status, invalid.body]).toEqual([
      400,
      { error: 'visibility does not have a valid value' },
    ]);
    await trellis.as(member).v4.put(`/groups/${group.path}`, { description: 'x' }).expect(403);
    await trellis.as(member).v4.delete(`/groups/${group.path}`).expect(403);
  });

  it('has no subgroups', async () => {
    for (const kind of ['subgroups', 'descendant_groups']) {
      const answer = await trellis.as(member).v4.get(`/groups/${group.path}/${kind}`).expect(200);
      expect([answer.body, answer.headers['x-total']]).toEqual([[], '0']);
      await trellis.as(stranger).v4.get(`/groups/${group.path}/${kind}`).expect(404);
    }
  });

  it('receives a project from an administrator', async () => {
    const project = await trellis.factories.project(owner);
    const path = `/groups/${group.path}/projects/${encodeURIComponent(project.fullPath)}`;
    await trellis.as(owner).v4.post(path).expect(403);
    await trellis.as(admin).v4.post(path).expect(201);
    const moved = await trellis
      .as(owner)
      .v4.get(`/projects/${String(project.id)}`)
      .expect(200);
    expect(moved.body).toMatchObject({ path_with_namespace: `${group.path}/${project.path}` });
  });

  describe('namespaces', () => {
    const personal = ({ user }: Person) => ({
      id: expect.any(Number) as number,
      name: user.username,
      path: user.username,
      kind: 'user',
      full_path: user.username,
      parent_id: null,
      avatar_url: null,
      web_url: `${trellis.url}/${user.username}`,
    });

    const ofGroup = () => ({
      id: group.id,
      name: group.name,
      path: group.path,
      kind: 'group',
      full_path: group.path,
      parent_id: null,
      avatar_url: null,
      web_url: `${trellis.url}/groups/${group.path}`,
    });

    it('are listed as far as they are the own one or groups of the caller', async () => {
      const answer = await trellis.as(member).v4.get('/namespaces').expect(200);
      expect(answer.body).toEqual([ofGroup(), personal(member)]);
    });

    it('are read by id and path as far as the caller may see them', async () => {
      const read = (who: Person, name: string) => trellis.as(who).v4.get(`/namespaces/${name}`);
      expect((await read(member, String(group.id)).expect(200)).body).toEqual(ofGroup());
      expect((await read(member, group.path).expect(200)).body).toEqual(ofGroup());
      const own = member.user.username;
      expect((await read(member, own).expect(200)).body).toEqual(personal(member));
      expect((await read(admin, own).expect(200)).body).toEqual(personal(member));
      const absent = await read(stranger, group.path).expect(404);
      expect(absent.body).toEqual({ message: '404 Namespace Not Found' });
      await read(stranger, own).expect(404);
    });

    it('are said to exist, with a free path', async () => {
      const asked = (path: string) => trellis.as(stranger).v4.get(`/namespaces/${path}/exists`);
      expect((await asked(group.path)).body).toEqual({
        exists: true,
        suggests: [`${group.path}1`],
      });
      const free = `free-${unique()}`;
      expect((await asked(free)).body).toEqual({ exists: false, suggests: [] });
    });
  });
});
