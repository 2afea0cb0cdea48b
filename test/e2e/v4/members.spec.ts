import type { Client } from '../../support/client.js';
import type { MadeGroup, MadeProject, Person } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

interface SharedProjectBody {
  shared_with_groups: { group_full_path: string }[];
}

describe('members of version 4', () => {
  let trellis: Trellis;
  let owner: Person;
  let member: Person;
  let other: Person;
  let project: MadeProject;
  let group: MadeGroup;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    const { factories } = trellis;
    [owner, member, other] = [
      await factories.user(),
      await factories.user(),
      await factories.user(),
    ];
    project = await factories.project(owner);
    group = await factories.group(owner, { visibilityLevel: 0 });
    await factories.addToProject(project, member, 30, '2999-12-31');
  });

  const shown = ({ user }: Person, level: number, expiresAt: string | null = null) => ({
    id: user.id,
    username: user.username,
    name: user.name,
    state: 'active',
    locked: false,
    avatar_url: expect.any(String) as string,
    web_url: `${trellis.url}/${user.username}`,
    access_level: level,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
    expires_at: expiresAt,
    membership_state: 'active',
  });

  const at = (path = '') => `/projects/${String(project.id)}/members${path}`;

  describe('of projects', () => {
    it('are listed with the owner of a personal project at level 50, whom version 3 shows at 40', async () => {
      const listed = await trellis.as(owner).v4.get(at()).expect(200);
      expect(listed.body).toEqual([shown(member, 30, '2999-12-31'), shown(owner, 50)]);
      const old = await trellis
        .as(owner)
        .get(at(`/${String(owner.user.id)}`))
        .expect(200);
      expect(old.body).toMatchObject({ access_level: 40 });
      const found = await trellis.as(owner).v4.get(at(`?query=${member.user.username}`));
      expect(found.body).toEqual([shown(member, 30, '2999-12-31')]);
    });

    it('are added, changed and removed', async () => {
      const { id } = other.user;
      const client = trellis.as(owner).v4;
      const added = await client.post(at(), { user_id: id, access_level: 20 }).expect(201);
      expect(added.body).toEqual(shown(other, 20));
      const again = await client.post(at(), { user_id: id, access_level: 30 }).expect(409);
      expect(again.body).toEqual({ message: 'Member already exists' });
      const old = await trellis
        .as(owner)
        .get(at(`/${String(id)}`))
        .expect(200);
      expect(old.body).toMatchObject({ id, access_level: 20 });
      const path = at(`/${String(id)}`);
      const end = { access_level: 30, expires_at: '2999-01-01' };
      expect((await client.put(path, end).expect(200)).body).toEqual(
        shown(other, 30, '2999-01-01'),
      );
      expect((await client.get(path).expect(200)).body).toEqual(shown(other, 30, '2999-01-01'));
      await client.delete(path).expect(204);
      const absent = await client.delete(path).expect(404);
      expect(absent.body).toEqual({ message: '404 Not found' });
      await client.get(path).expect(404);
    });

    it.each([5, 15, 50, 60])('returns 400 for the level %s', async (level) => {
      const body = { user_id: other.user.id, access_level: level };
      const refused = await trellis.as(owner).v4.post(at(), body).expect(400);
      expect(refused.body).toEqual({ error: 'access_level does not have a valid value' });
    });

    it('returns 404 for an unknown user and 403 to developers', async () => {
      const body = { user_id: 2_147_483_647, access_level: 20 };
      const absent = await trellis.as(owner).v4.post(at(), body).expect(404);
      expect(absent.body).toEqual({ message: '404 User Not Found' });
      await trellis.as(member).v4.post(at(), body).expect(403);
      await trellis.as(other).v4.get(at()).expect(404);
    });
  });

  describe('with access in any way', () => {
    it('have the highest level of direct membership, group, share and ownership', async () => {
      const { factories } = trellis;
      const inGroup = await factories.group(owner, { visibilityLevel: 0 });
      const sharing = await factories.group(owner, { visibilityLevel: 0 });
      const within = await factories.project(owner, { namespaceId: inGroup.id });
      const [both, shared, left] = [
        await factories.user(),
        await factories.user(),
        await factories.user(),
      ];
      await factories.addToProject(within, both, 20);
      await factories.addToGroup(inGroup, both, 40);
      await factories.addToGroup(sharing, shared, 40);
      await factories.addToProject(within, left, 40, '2001-01-01');
      await factories.share(within, sharing, 30);
      const path = `/projects/${String(within.id)}/members/all`;
      const listed = await trellis.as(owner).v4.get(path).expect(200);
      expect(listed.body).toEqual([shown(shared, 30), shown(both, 40), shown(owner, 50)]);
      expect(listed.headers['x-total']).toBe('3');
      const one = await trellis
        .as(both)
        .v4.get(`${path}/${String(both.user.id)}`)
        .expect(200);
      expect(one.body).toEqual(shown(both, 40));
      await trellis
        .as(owner)
        .v4.get(`${path}/${String(left.user.id)}`)
        .expect(404);
      // A member of the project does not see who is in a private group that it is shared with.
      const seen = await trellis.as(both).v4.get(path).expect(200);
      expect(seen.body).toEqual([shown(both, 40), shown(owner, 50)]);
    });

    it('have level 50 as owners of a personal project', async () => {
      const one = await trellis
        .as(owner)
        .v4.get(at(`/all/${String(owner.user.id)}`))
        .expect(200);
      expect(one.body).toEqual(shown(owner, 50));
      const found = await trellis.as(owner).v4.get(at(`/all?query=${owner.user.username}`));
      expect(found.body).toEqual([shown(owner, 50)]);
    });
  });

  describe('of groups', () => {
    it('are added, listed, changed and removed', async () => {
      const path = `/groups/${group.path}/members`;
      const client = trellis.as(owner).v4;
      const { id } = other.user;
      const added = await client.post(path, { user_id: id, access_level: 50 }).expect(201);
      expect(added.body).toEqual(shown(other, 50));
      await client.post(path, { user_id: id, access_level: 30 }).expect(409);
      for (const list of [path, `${path}/all`]) {
        expect((await client.get(list).expect(200)).body).toEqual([
          shown(other, 50),
          shown(owner, 50),
        ]);
        const one = await client.get(`${list}/${String(id)}`).expect(200);
        expect(one.body).toEqual(shown(other, 50));
      }
      const changed = await client.put(`${path}/${String(id)}`, { access_level: 10 }).expect(200);
      expect(changed.body).toEqual(shown(other, 10));
      const old = await trellis
        .as(owner)
        .get(`${path}/${String(id)}`)
        .expect(200);
      expect(old.body).toMatchObject({ access_level: 10 });
      await client.delete(`${path}/${String(id)}`).expect(204);
      await client.get(`${path}/${String(id)}`).expect(404);
      await client.delete(`${path}/${String(owner.user.id)}`).expect(403);
    });
  });

  describe('shares', () => {
    it('are made once and ended', async () => {
      const path = `/projects/${String(project.id)}/share`;
      const client = trellis.as(owner).v4;
      const body = { group_id: group.id, group_access: 20, expires_at: '2999-05-01' };
      const made = await client.post(path, body).expect(201);
      expect(made.body).toEqual({
        id: expect.any(Number) as number,
        project_id: project.id,
        ...body,
      });
      await client.post(path, body).expect(409);
      const shared = await client.get(`/projects/${String(project.id)}`).expect(200);
      expect(shared.body).toMatchObject({
        shared_with_groups: [
          {
            group_id: group.id,
            group_name: group.name,
            group_full_path: group.path,
            group_access_level: 20,
            expires_at: '2999-05-01',
          },
        ],
      });
      await client.delete(`${path}/${String(group.id)}`).expect(204);
      await client.delete(`${path}/${String(group.id)}`).expect(404);
    });

    it('show only groups that the reader sees by their visibility or as a member', async () => {
      const { factories } = trellis;
      const shared = await factories.project(owner, { visibilityLevel: 20 });
      const [hidden, internal, open] = [
        await factories.group(owner, { visibilityLevel: 0 }),
        await factories.group(owner, { visibilityLevel: 10 }),
        await factories.group(owner, { visibilityLevel: 20 }),
      ];
      for (const each of [hidden, internal, open]) await factories.share(shared, each, 20);
      const groupMember = await factories.user();
      await factories.addToGroup(hidden, groupMember, 10);
      const formerMember = await factories.user();
      await factories.addToGroup(hidden, formerMember, 10, '2020-01-01');
      const external = await factories.user({ external: true });
      const path = `/projects/${String(shared.id)}`;
      const all = [hidden.path, internal.path, open.path];
      const readers: [Client, string[]][] = [
        [trellis.anonymous.v4, [open.path]],
        [trellis.as(external).v4, [open.path]],
        [trellis.as(formerMember).v4, [internal.path, open.path]],
        [trellis.as(groupMember).v4, all],
        [trellis.as(owner).v4, all],
        [trellis.as(await factories.admin()).v4, all],
      ];
      for (const [reader, paths] of readers) {
        const { body } = await reader.get(path).expect(200);
        const { shared_with_groups: groups } = body as SharedProjectBody;
        expect(groups.map(({ group_full_path }) => group_full_path)).toEqual(paths);
      }
      const listed = await trellis
        .as(external)
        .v4.get(`/projects?search=${shared.path}`)
        .expect(200);
      expect(listed.body).toMatchObject([
        { id: shared.id, shared_with_groups: [{ group_id: open.id }] },
      ]);
      const old = await trellis.as(external).get(path).expect(200);
      expect((old.body as SharedProjectBody).shared_with_groups).toHaveLength(3);
    });
  });
});
