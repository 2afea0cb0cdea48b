import type { MadeGroup, MadeProject, Person } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

interface ProjectBody {
  id: number;
}

const TODAY = new Date().toISOString().slice(0, 10);

describe('Lists of projects', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;
  let caller: Person;
  let external: Person;
  let group: MadeGroup;
  let guestGroup: MadeGroup;
  let own: MadeProject;
  let direct: MadeProject;
  let inOwnedGroup: MadeProject;
  let inGuestGroup: MadeProject;
  let shared: MadeProject;
  let internal: MadeProject;
  let open: MadeProject;
  let hidden: MadeProject[];

  beforeAll(async () => {
    trellis = await Trellis.start({ because: 'state of the instance' });
    const { factories } = trellis;
    admin = await factories.admin();
    owner = await factories.user({ projectsLimit: 1000 });
    caller = await factories.user({ projectsLimit: 1000 });
    external = await factories.user({ external: true });
    group = await factories.group(caller);
    guestGroup = await factories.group(owner);
    await factories.addToGroup(guestGroup, caller, 10);
    own = await factories.project(caller);
    direct = await factories.project(owner);
    await factories.addToProject(direct, caller, 10);
    inOwnedGroup = await factories.project(caller, { namespaceId: group.id });
    inGuestGroup = await factories.project(owner, { namespaceId: guestGroup.id });
    shared = await factories.project(owner);
    await factories.share(shared, guestGroup, 30);
    internal = await factories.project(owner, { visibilityLevel: 10 });
    open = await factories.project(owner, { visibilityLevel: 20 });
    hidden = await unreadableProjects();
  });
  afterAll(() => trellis.stop());

  /** Those to which something once led, or seems to lead. */
  async function unreadableProjects(): Promise<MadeProject[]> {
    const { factories } = trellis;
    const foreign = await factories.project(owner);
    const memberOnce = await factories.project(owner);
    await factories.addToProject(memberOnce, caller, 40, TODAY);
    const groupOnce = await factories.group(owner);
    await factories.addToGroup(groupOnce, caller, 40, TODAY);
    const inGroupOnce = await factories.project(owner, { namespaceId: groupOnce.id });
    const sharedOnce = await factories.project(owner);
    await factories.share(sharedOnce, guestGroup, 40, TODAY);
    const locked = await factories.group(owner);
    await trellis.rows('UPDATE namespaces SET share_with_group_lock = true WHERE id = $1', [
      locked.id,
    ]);
    const lockedShare = await factories.project(owner, { namespaceId: locked.id });
    await factories.share(lockedShare, guestGroup, 40);
    const deleted = await factories.project(caller, { visibilityLevel: 20 });
    await trellis
      .as(caller)
      .delete(`/projects/${String(deleted.id)}`)
      .expect(200);
    return [foreign, memberOnce, inGroupOnce, sharedOnce, lockedShare, deleted];
  }

  async function ids(person: Person, path: string): Promise<number[]> {
    const answer = await trellis.as(person).get(path).expect(200);
    return (answer.body as ProjectBody[]).map(({ id }) => id);
  }

  const idsOf = (...projects: MadeProject[]) => projects.map(({ id }) => id);

  it('require a credential', async () => {
    for (const path of ['', '/visible', '/owned', '/starred', '/all']) {
      await trellis.anonymous.get(`/projects${path}`).expect(401);
    }
  });

  it('refuse malformed filters', async () => {
    const cases: [string, string][] = [
      ['archived=perhaps', 'archived is invalid'],
      ['visibility=secret', 'visibility does not have a valid value'],
      ['visibility=Public', 'visibility does not have a valid value'],
      ['visibility=20', 'visibility does not have a valid value'],
      ['order_by=star_count', 'order_by does not have a valid value'],
      ['order_by=id;DROP TABLE projects', 'order_by does not have a valid value'],
      ['sort=DESC', 'sort does not have a valid value'],
      ['search[a]=b', 'search is invalid'],
      ['search=%00', 'search is invalid'],
      ['per_page=all', 'per_page is invalid'],
    ];
    for (const path of ['', '/visible', '/owned', '/starred']) {
      for (const [query, error] of cases) {
        const answer = await trellis.as(caller).get(`/projects${path}?${query}`).expect(400);
        expect(answer.body).toEqual({ error });
      }
    }
    const simple = await trellis.as(caller).get('/projects?simple=perhaps').expect(400);
    expect(simple.body).toEqual({ error: 'simple is invalid' });
  });

  it('show the projects of all memberships on /projects', async () => {
    expect(await ids(caller, '/projects')).toEqual(
      idsOf(shared, inGuestGroup, inOwnedGroup, direct, own),
    );
    expect(await ids(admin, '/projects')).toEqual([]);
  });

  it('add internal and public projects on /projects/visible', async () => {
    const visible = await ids(caller, '/projects/visible');
    expect(visible).toEqual(idsOf(open, internal, shared, inGuestGroup, inOwnedGroup, direct, own));
    for (const { id } of hidden) expect(visible).not.toContain(id);
    expect(await ids(external, '/projects/visible')).toEqual(idsOf(open));
    await trellis.factories.addToProject(internal, external, 10);
    expect(await ids(external, '/projects/visible')).toEqual(idsOf(open, internal));
  });

  it('show personal projects and those of owned groups on /projects/owned', async () => {
    expect(await ids(caller, '/projects/owned')).toEqual(idsOf(inOwnedGroup, own));
    const former = await trellis.factories.group(owner);
    await trellis.factories.addToGroup(former, caller, 50, TODAY);
    await trellis.factories.project(owner, { namespaceId: former.id });
    expect(await ids(caller, '/projects/owned')).toEqual(idsOf(inOwnedGroup, own));
  });

  it('show readable projects on /projects/starred', async () => {
    const fan = await trellis.factories.user();
    const lost = await trellis.factories.project(owner);
    await trellis.factories.addToProject(lost, fan, 10);
    for (const { id } of [open, internal, lost]) {
      await trellis
        .as(fan)
        .post(`/projects/${String(id)}/star`)
        .expect(200);
    }
    expect(await ids(fan, '/projects/starred')).toEqual(idsOf(lost, open, internal));
    await trellis.rows('DELETE FROM project_members WHERE user_id = $1', [fan.user.id]);
    expect(await ids(fan, '/projects/starred')).toEqual(idsOf(open, internal));
    const answer = await trellis.as(fan).get('/projects/starred').expect(200);
    expect(answer.body).toEqual([
      expect.not.objectContaining({ permissions: expect.anything() }),
      expect.not.objectContaining({ permissions: expect.anything() }),
    ]);
    await trellis
      .as(admin)
      .post(`/projects/${String(lost.id)}/star`)
      .expect(200);
    expect(await ids(admin, '/projects/starred')).toEqual(idsOf(lost));
  });

  it('show all projects to administrators on /projects/all', async () => {
    const refused = await trellis.as(caller).get('/projects/all?page=x').expect(403);
    expect(refused.body).toEqual({ message: '403 Forbidden' });
    const all = await ids(admin, '/projects/all?per_page=100');
    const deleted = hidden.at(-1) as MadeProject;
    expect(all).toEqual(expect.arrayContaining(idsOf(own, direct, shared, ...hidden.slice(0, -1))));
    expect(all).not.toContain(deleted.id);
  });

  it('filter by visibility', async () => {
    const visible = async (level: string) => ids(caller, `/projects/visible?visibility=${level}`);
    expect(await visible('public')).toEqual(idsOf(open));
    expect(await visible('internal')).toEqual(idsOf(internal));
    expect(await visible('private')).toEqual(
      idsOf(shared, inGuestGroup, inOwnedGroup, direct, own),
    );
    expect(await ids(caller, '/projects?visibility=public')).toEqual([]);
  });

  it('return a short form on request', async () => {
    for (const path of ['/projects', '/projects/visible']) {
      const answer = await trellis.as(caller).get(`${path}?simple=true&search=${own.path}`);
      expect(answer.body).toEqual([
        {
          id: own.id,
          http_url_to_repo: `${trellis.url}/${own.fullPath}.git`,
          web_url: `${trellis.url}/${own.fullPath}`,
          name: own.path,
          name_with_namespace: `${caller.user.name} / ${own.path}`,
          path: own.path,
          path_with_namespace: own.fullPath,
        },
      ]);
    }
    const full = await trellis.as(caller).get('/projects/owned?simple=true').expect(200);
    expect(full.body).toEqual([
      expect.objectContaining({ id: inOwnedGroup.id, creator_id: caller.user.id }),
      expect.objectContaining({ id: own.id, creator_id: caller.user.id }),
    ]);
  });

  it('show the memberships of the caller, in project and group', async () => {
    const answer = await trellis.as(caller).get('/projects/visible').expect(200);
    const permissions = new Map(
      (answer.body as (ProjectBody & { permissions: unknown })[]).map((project) => [
        project.id,
        project.permissions,
      ]),
    );
    const membership = (level: number) => ({ access_level: level, notification_level: 3 });
    expect(permissions.get(own.id)).toEqual({
      project_access: membership(40),
      group_access: null,
    });
    expect(permissions.get(direct.id)).toEqual({
      project_access: membership(10),
      group_access: null,
    });
    expect(permissions.get(inOwnedGroup.id)).toEqual({
      project_access: null,
      group_access: membership(50),
    });
    expect(permissions.get(shared.id)).toEqual({ project_access: null, group_access: null });
    const listed = await trellis.as(caller).get(`/projects?search=${shared.path}`).expect(200);
    expect(listed.body).toEqual([
      expect.objectContaining({
        shared_with_groups: [
          { group_id: guestGroup.id, group_name: guestGroup.name, group_access_level: 30 },
        ],
      }),
    ]);
    expect((listed.body as object[])[0]).not.toHaveProperty('runners_token');
  });
});
