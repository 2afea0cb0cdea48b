import type { MadeGroup, Person } from '../../support/factories.js';
import { memberRow as row, memberRows } from '../../support/member-rows.js';
import { dayFromNow, memberOf } from '../../support/summaries.js';
import { Trellis } from '../../support/trellis.js';

const FORBIDDEN = { message: '403 Forbidden' };

describe('members of groups', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;
  let master: Person;
  let guest: Person;
  let stranger: Person;
  let group: MadeGroup;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
    owner = await trellis.factories.user();
    master = await trellis.factories.user();
    guest = await trellis.factories.user();
    stranger = await trellis.factories.user();
  });

  beforeEach(async () => {
    group = await trellis.factories.group(owner, { visibilityLevel: 0 });
    await trellis.factories.addToGroup(group, master, 40);
    await trellis.factories.addToGroup(group, guest, 10);
  });

  const membersPath = () => `/groups/${group.id}/members`;
  const memberPath = ({ user }: Person) => `${membersPath()}/${user.id}`;
  const rows = () => memberRows(trellis, 'group_members', group);
  const untouched = () => [row(owner, 50), row(master, 40), row(guest, 10)];

  describe('GET /groups/:id/members', () => {
    it('requires a credential and well-formed parameters', async () => {
      await trellis.anonymous.get(membersPath()).expect(401);
      const page = await trellis.as(owner).get(`${membersPath()}?per_page=x`).expect(400);
      expect(page.body).toEqual({ error: 'per_page is invalid' });
      const query = await trellis.as(owner).get(`${membersPath()}?query[]=x`).expect(400);
      expect(query.body).toEqual({ error: 'query is invalid' });
    });

    it('returns 404 for private groups and personal namespaces', async () => {
      const hidden = await trellis.as(stranger).get(membersPath()).expect(404);
      expect(hidden.body).toEqual({ message: '404 Group Not Found' });
      await trellis.as(owner).get(`/groups/${owner.user.username}/members`).expect(404);
      await trellis.as(admin).get('/groups/99999999999/members').expect(404);
    });

    it('lists members, the newest account first, to every reader of the group', async () => {
      const all = [
        memberOf(trellis, guest, 10),
        memberOf(trellis, master, 40),
        memberOf(trellis, owner, 50),
      ];
      for (const reader of [guest, owner, admin]) {
        const answer = await trellis.as(reader).get(membersPath()).expect(200);
        expect(answer.body).toEqual(all);
      }
      await trellis.rows('UPDATE namespaces SET visibility_level = 10 WHERE id = $1', [group.id]);
      const page = `/groups/${group.path.toUpperCase()}/members?per_page=2`;
      const first = await trellis.as(stranger).get(page).expect(200);
      expect(first.body).toEqual(all.slice(0, 2));
      expect(first.headers).toMatchObject({ 'x-total': '3', 'x-next-page': '2' });
      const external = await trellis.factories.user({ external: true });
      await trellis.as(external).get(membersPath()).expect(404);
    });

    it('searches name and user name', async () => {
      const search = async (query: string) => {
        const path = `${membersPath()}?query=${encodeURIComponent(query)}`;
        const answer = await trellis.as(owner).get(path).expect(200);
        return (answer.body as { id: number }[]).map(({ id }) => id);
      };
      expect(await search(master.user.username.slice(2).toUpperCase())).toEqual([master.user.id]);
      expect(await search(`Name of ${guest.user.username}`)).toEqual([guest.user.id]);
      expect(await search('%')).toEqual([]);
    });

    it('excludes deleted accounts at once', async () => {
      await trellis.rows('UPDATE users SET deleted_at = now() WHERE id = $1', [guest.user.id]);
      try {
        const answer = await trellis.as(owner).get(membersPath()).expect(200);
        expect(answer.body).toEqual([memberOf(trellis, master, 40), memberOf(trellis, owner, 50)]);
      } finally {
        await trellis.rows('UPDATE users SET deleted_at = NULL WHERE id = $1', [guest.user.id]);
      }
    });

    it('takes the same number of statements for many members as for few', async () => {
      const measure = () =>
        trellis.statements.during(() => trellis.as(owner).get(membersPath()).expect(200));
      const few = await measure();
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

  describe('GET /groups/:id/members/:user_id', () => {
    it('returns one member to every reader of the group', async () => {
      await trellis.anonymous.get(memberPath(master)).expect(401);
      const malformed = await trellis.as(owner).get(`${membersPath()}/zoe`).expect(400);
      expect(malformed.body).toEqual({ error: 'user_id is invalid' });
      await trellis.as(stranger).get(memberPath(master)).expect(404);
      const answer = await trellis.as(guest).get(memberPath(owner)).expect(200);
      expect(answer.body).toEqual(memberOf(trellis, owner, 50));
      for (const id of [stranger.user.id, 0, 99_999_999_999]) {
        const absent = await trellis.as(owner).get(`${membersPath()}/${id}`).expect(404);
        expect(absent.body).toEqual({ message: '404 Not found' });
      }
    });
  });

  describe('POST /groups/:id/members', () => {
    it('requires a credential, complete parameters and an owner', async () => {
      const body = { user_id: stranger.user.id, access_level: 30 };
      await trellis.anonymous.post(membersPath(), body).expect(401);
      const missing = await trellis.as(owner).post(membersPath(), {}).expect(400);
      expect(missing.body).toEqual({ error: 'user_id is missing, access_level is missing' });
      const malformed = { user_id: {}, access_level: 'high', expires_at: [] };
      const invalid = await trellis.as(owner).post(membersPath(), malformed).expect(400);
      expect(invalid.body).toEqual({
        error: 'user_id is invalid, access_level is invalid, expires_at is invalid',
      });
      await trellis.as(stranger).post(membersPath(), body).expect(404);
      for (const member of [guest, master]) {
        const refused = await trellis.as(member).post(membersPath(), body).expect(403);
        expect(refused.body).toEqual(FORBIDDEN);
      }
      expect(await rows()).toEqual(untouched());
    });

    it('returns 404 for unknown users, 409 for a member and 422 for an unknown level, in this order', async () => {
      const add = (user_id: number, access_level: number) =>
        trellis.as(owner).post(membersPath(), { user_id, access_level });
      for (const id of [0, 2_147_483_647, 99_999_999_999]) {
        const nobody = await add(id, 31).expect(404);
        expect(nobody.body).toEqual({ message: '404 User Not Found' });
      }
      const member = await add(master.user.id, 31).expect(409);
      expect(member.body).toEqual({ message: 'Member already exists' });
      for (const level of [0, 15, 51, -50]) {
        const unknown = await add(stranger.user.id, level).expect(422);
        expect(unknown.body).toEqual({ message: 'Access level is not known' });
      }
      expect(await rows()).toEqual(untouched());
    });

    it('adds members of every level, owners included', async () => {
      for (const [level, expiresAt] of [
        [10, null],
        [20, dayFromNow(3)],
        [30, '1999-12-31'],
        [40, null],
        [50, null],
      ] as const) {
        const person = await trellis.factories.user();
        const body = { user_id: person.user.id, access_level: level, expires_at: expiresAt };
        const caller = level === 50 ? admin : owner;
        const answer = await trellis.as(caller).post(membersPath(), body).expect(200);
        expect(answer.body).toEqual(memberOf(trellis, person, level, expiresAt));
        expect(await rows()).toContainEqual(row(person, level, expiresAt));
        const sees = expiresAt === '1999-12-31' ? 404 : 200;
        await trellis.as(person).get(membersPath()).expect(sees);
      }
    });

    it('creates one membership for concurrent requests', async () => {
      const answers = await Promise.all(
        [10, 20, 30, 40, 50, 10, 20, 30].map((access_level) =>
          trellis.as(owner).post(membersPath(), { user_id: stranger.user.id, access_level }),
        ),
      );
      const made = answers.filter(({ status }) => status === 200);
      expect(made).toHaveLength(1);
      for (const refused of answers.filter(({ status }) => status !== 200)) {
        expect(refused.status).toBe(409);
        expect(refused.body).toEqual({ message: 'Member already exists' });
      }
      const { access_level: level } = made[0]?.body as { access_level: number };
      expect(await rows()).toEqual([...untouched(), row(stranger, level)]);
    });
  });

  describe('PUT /groups/:id/members/:user_id', () => {
    it('requires a credential, complete parameters and an owner', async () => {
      const path = memberPath(guest);
      await trellis.anonymous.put(path, { access_level: 20 }).expect(401);
      const missing = await trellis.as(owner).put(path, { expires_at: null }).expect(400);
      expect(missing.body).toEqual({ error: 'access_level is missing' });
      await trellis.as(stranger).put(path, { access_level: 20 }).expect(404);
      await trellis.as(guest).put(path, { access_level: 50 }).expect(403);
      await trellis.as(master).put(path, { access_level: 20 }).expect(403);
      const level = await trellis.as(owner).put(path, { access_level: 45 }).expect(422);
      expect(level.body).toEqual({ message: 'Access level is not known' });
      const absent = await trellis
        .as(owner)
        .put(memberPath(stranger), { access_level: 20 })
        .expect(404);
      expect(absent.body).toEqual({ message: '404 Not found' });
      expect(await rows()).toEqual(untouched());
    });

    it('updates the level; the expiry stays, moves, or is removed by null and ""', async () => {
      const steps: [object, number, string | null][] = [
        [{ access_level: 30, expires_at: '2050-05-05' }, 30, '2050-05-05'],
        [{ access_level: 50 }, 50, '2050-05-05'],
        [{ access_level: 50, expires_at: null }, 50, null],
        [{ access_level: 10, expires_at: '2001-01-01' }, 10, '2001-01-01'],
        [{ access_level: 20, expires_at: '' }, 20, null],
      ];
      for (const [body, level, expiresAt] of steps) {
        const answer = await trellis.as(owner).put(memberPath(guest), body).expect(200);
        expect(answer.body).toEqual(memberOf(trellis, guest, level, expiresAt));
        expect(await rows()).toContainEqual(row(guest, level, expiresAt));
      }
    });
  });

  describe('DELETE /groups/:id/members/:user_id', () => {
    it('requires a credential and an owner, or the member', async () => {
      await trellis.anonymous.delete(memberPath(guest)).expect(401);
      await trellis.as(owner).delete(`${membersPath()}/zoe`).expect(400);
      await trellis.as(stranger).delete(memberPath(guest)).expect(404);
      const refused = await trellis.as(master).delete(memberPath(guest)).expect(403);
      expect(refused.body).toEqual(FORBIDDEN);
      await trellis.as(guest).delete(memberPath(stranger)).expect(403);
      expect(await rows()).toEqual(untouched());
    });

    it('removes a member, and allows members to leave', async () => {
      const removed = await trellis.as(owner).delete(memberPath(master)).expect(200);
      expect(removed.body).toEqual(memberOf(trellis, master, 40));
      const left = await trellis.as(guest).delete(memberPath(guest)).expect(200);
      expect(left.body).toEqual(memberOf(trellis, guest, 10));
      expect(await rows()).toEqual([row(owner, 50)]);
      await trellis.as(guest).get(membersPath()).expect(404);
    });

    it('returns 404 for a user without a membership', async () => {
      const { id } = stranger.user;
      const message = `404 Member: user_id:${id} Not Found`;
      const answer = await trellis.as(owner).delete(memberPath(stranger)).expect(404);
      expect(answer.body).toEqual({ message });
      await trellis.rows('UPDATE namespaces SET visibility_level = 20 WHERE id = $1', [group.id]);
      const own = await trellis.as(stranger).delete(memberPath(stranger)).expect(404);
      expect(own.body).toEqual({ message });
      const beyond = await trellis.as(owner).delete(`${membersPath()}/99999999999`).expect(404);
      expect(beyond.body).toEqual({ message: '404 Not found' });
    });

    it('removes once for concurrent requests', async () => {
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => trellis.as(owner).delete(memberPath(master))),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 404)).toHaveLength(5);
    });
  });
});
