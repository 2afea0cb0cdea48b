import type { MadeProject, Person } from '../../support/factories.js';
import { dayFromNow, summaryOf } from '../../support/summaries.js';
import { Trellis } from '../../support/trellis.js';

describe('GET /projects/:id/users', () => {
  let trellis: Trellis;
  let owner: Person;
  let direct: Person;
  let shared: Person;
  let project: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    direct = await trellis.factories.user();
    shared = await trellis.factories.user();
  });

  beforeEach(async () => {
    project = await trellis.factories.project(owner);
    await trellis.factories.addToProject(project, direct, 10);
  });

  const ids = async (query = '', id = project.id) => {
    const answer = await trellis.as(owner).get(`/projects/${id}/users${query}`).expect(200);
    return (answer.body as { id: number }[]).map((user) => user.id);
  };
  const idsOf = (...people: Person[]) => people.map(({ user }) => user.id);

  it('requires a credential, well-formed parameters and a readable project', async () => {
    const open = await trellis.factories.project(owner, { visibilityLevel: 20 });
    await trellis.anonymous.get(`/projects/${open.id}/users`).expect(401);
    const path = `/projects/${project.id}/users`;
    const page = await trellis.as(owner).get(`${path}?page=x`).expect(400);
    expect(page.body).toEqual({ error: 'page is invalid' });
    const search = await trellis.as(owner).get(`${path}?search[a]=x`).expect(400);
    expect(search.body).toEqual({ error: 'search is invalid' });
    const hidden = await trellis.as(shared).get(path).expect(404);
    expect(hidden.body).toEqual({ message: '404 Project Not Found' });
    await trellis.as(shared).get(`/projects/${open.id}/users`).expect(200);
  });

  it('lists summaries of all users with access, each once, the newest account first', async () => {
    const group = await trellis.factories.group(shared);
    await trellis.factories.addToGroup(group, direct, 30);
    await trellis.factories.share(project, group, 10);
    const answer = await trellis.as(direct).get(`/projects/${project.id}/users`).expect(200);
    expect(answer.body).toEqual([
      summaryOf(trellis, shared),
      summaryOf(trellis, direct),
      summaryOf(trellis, owner),
    ]);
    const second = await trellis
      .as(direct)
      .get(`/projects/${project.id}/users?per_page=2&page=2`)
      .expect(200);
    expect(second.body).toEqual([summaryOf(trellis, owner)]);
    expect(second.headers).toMatchObject({ 'x-total': '3', 'x-total-pages': '2' });
  });

  it('lists the owner of the personal namespace without a membership', async () => {
    await trellis.rows('DELETE FROM project_members WHERE user_id = $1', [owner.user.id]);
    expect(await ids()).toEqual(idsOf(direct, owner));
  });

  it('lists the members of the group of the project', async () => {
    const admin = await trellis.factories.admin();
    const group = await trellis.factories.group(owner);
    await trellis.factories.addToGroup(group, shared, 10);
    const inside = await trellis.factories.project(admin, { namespaceId: group.id });
    await trellis.rows('DELETE FROM project_members WHERE project_id = $1', [inside.id]);
    expect(await ids('', inside.id)).toEqual(idsOf(shared, owner));
  });

  it('excludes users without current access', async () => {
    const [expired, blocked, gone] = [
      await trellis.factories.user(),
      await trellis.factories.user(),
      await trellis.factories.user(),
    ];
    await trellis.factories.addToProject(project, expired, 40, dayFromNow(0));
    await trellis.factories.addToProject(project, blocked, 40);
    await trellis.factories.addToProject(project, gone, 40);
    await trellis.rows(`UPDATE users SET state = 'blocked' WHERE id = $1`, [blocked.user.id]);
    await trellis.rows('UPDATE users SET deleted_at = now() WHERE id = $1', [gone.user.id]);
    expect(await ids()).toEqual(idsOf(direct, owner));
  });

  it('excludes shares without effect', async () => {
    const group = await trellis.factories.group(shared);
    const lock = (locked: boolean) =>
      trellis.rows('UPDATE namespaces SET share_with_group_lock = $1 WHERE owner_id = $2', [
        locked,
        owner.user.id,
      ]);
    await trellis.factories.share(project, group, 40, dayFromNow(0));
    expect(await ids()).toEqual(idsOf(direct, owner));
    await trellis.rows('UPDATE project_group_links SET expires_at = NULL WHERE project_id = $1', [
      project.id,
    ]);
    expect(await ids()).toEqual(idsOf(shared, direct, owner));
    await lock(true);
    expect(await ids()).toEqual(idsOf(direct, owner));
    await lock(false);
    expect(await ids()).toEqual(idsOf(shared, direct, owner));
    await trellis.rows('UPDATE namespaces SET deleted_at = now() WHERE id = $1', [group.id]);
    expect(await ids()).toEqual(idsOf(direct, owner));
    await trellis.rows('UPDATE namespaces SET deleted_at = NULL WHERE id = $1', [group.id]);
    expect(await ids()).toEqual(idsOf(shared, direct, owner));
    await trellis.rows('UPDATE group_members SET expires_at = $1 WHERE group_id = $2', [
      dayFromNow(-10),
      group.id,
    ]);
    expect(await ids()).toEqual(idsOf(direct, owner));
  });

  it('searches name and user name literally', async () => {
    const found = await trellis.factories.user({
      username: 'x_under.score',
      name: '李 Größe',
      email: 'post.box@far.test',
    });
    await trellis.factories.addToProject(project, found, 20);
    for (const search of ['李', 'gRÖße', 'X_UNDER']) {
      expect(await ids(`?search=${encodeURIComponent(search)}`)).toEqual(idsOf(found));
    }
    for (const search of ['%', '_der', '\\', "'; DROP TABLE users; --"]) {
      expect(await ids(`?search=${encodeURIComponent(search)}`)).toEqual([]);
    }
    expect(await ids('?search=')).toHaveLength(3);
  });

  it('takes the same number of statements for many users as for few', async () => {
    const measure = () => trellis.statements.during(() => ids());
    const few = await measure();
    const group = await trellis.factories.group(shared);
    await trellis.factories.share(project, group, 10);
    await trellis.rows(
      `INSERT INTO group_members (group_id, user_id, access_level)
       SELECT $1, id, 20 FROM unnest($2::int[]) AS id`,
      [group.id, await trellis.factories.crowd(15)],
    );
    const many = await measure();
    expect(many).toHaveLength(few.length);
    expect(many.length).toBeLessThanOrEqual(6);
  });
});
