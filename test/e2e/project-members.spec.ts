import type { MadeProject, Person } from '../support/factories.js';
import { eventRow, eventRows, memberRow as row, memberRows } from '../support/member-rows.js';
import { memberOf } from '../support/summaries.js';
import { Trellis } from '../support/trellis.js';

const FORBIDDEN = { message: '403 Forbidden' };

describe('members of projects', () => {
  let trellis: Trellis;
  let owner: Person;
  let master: Person;
  let developer: Person;
  let stranger: Person;
  let project: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.start();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    master = await trellis.factories.user();
    developer = await trellis.factories.user();
    stranger = await trellis.factories.user();
  });
  afterAll(() => trellis.stop());

  beforeEach(async () => {
    project = await trellis.factories.project(owner);
    await trellis.factories.addToProject(project, master, 40);
    await trellis.factories.addToProject(project, developer, 30);
  });

  const membersPath = () => `/projects/${project.id}/members`;
  const memberPath = ({ user }: Person) => `${membersPath()}/${user.id}`;
  const rows = () => memberRows(trellis, 'project_members', project);
  const feed = () => eventRows(trellis, project);
  const created = () => eventRow(owner, 'created');

  describe('GET /projects/:id/members', () => {
    it('takes a credential and well-formed parameters', async () => {
      const open = await trellis.factories.project(owner, { visibilityLevel: 20 });
      await trellis.anonymous.get(`/projects/${open.id}/members`).expect(401);
      const asOwner = trellis.as(owner);
      const page = await asOwner.get(`${membersPath()}?page=x`).expect(400);
      expect(page.body).toEqual({ error: 'page is invalid' });
      const query = await asOwner.get(`${membersPath()}?query[a]=x`).expect(400);
      expect(query.body).toEqual({ error: 'query is invalid' });
    });

    it('does not tell strangers of a private project', async () => {
      const answer = await trellis.as(stranger).get(membersPath()).expect(404);
      expect(answer.body).toEqual({ message: '404 Project Not Found' });
      await trellis.as(owner).get('/projects/99999999999/members').expect(404);
      await trellis.as(owner).get('/projects/nobody%2Fnothing/members').expect(404);
    });

    it('lists direct members, the newest account first, to everybody who sees the project', async () => {
      const group = await trellis.factories.group(stranger);
      await trellis.factories.share(project, group, 30);
      const all = [
        memberOf(trellis, developer, 30),
        memberOf(trellis, master, 40),
        memberOf(trellis, owner, 40),
      ];
      for (const reader of [owner, developer, stranger]) {
        const answer = await trellis.as(reader).get(membersPath()).expect(200);
        expect(answer.body).toEqual(all);
      }
      const second = await trellis.as(owner).get(`${membersPath()}?per_page=2&page=2`).expect(200);
      expect(second.body).toEqual(all.slice(2));
      expect(second.headers).toMatchObject({ 'x-total': '3', 'x-next-page': '' });
      const byPath = await trellis
        .as(owner)
        .get(`/projects/${encodeURIComponent(project.fullPath)}/members`)
        .expect(200);
      expect(byPath.body).toEqual(all);
    });

    it('finds by part of a name, user name or e-mail, whatever the case, and takes it literally', async () => {
      const found = await trellis.factories.user({
        username: 'Zoe_100_here',
        name: 'Ärger 100% Öl',
        email: 'odd.address@elsewhere.test',
      });
      await trellis.factories.addToProject(project, found, 10);
      const search = async (query: string) => {
        const path = `${membersPath()}?query=${encodeURIComponent(query)}`;
        const answer = await trellis.as(owner).get(path).expect(200);
        return (answer.body as { id: number }[]).map(({ id }) => id);
      };
      for (const query of ['ÄRGER 100% ö', 'zoe_100', 'ADDRESS@else']) {
        expect(await search(query)).toEqual([found.user.id]);
      }
      expect(await search('')).toHaveLength(4);
      for (const query of ['ä%l', 'zo_', "' OR 1=1 --", '\\']) {
        expect(await search(query)).toEqual([]);
      }
    });

    it('leaves out deleted accounts at once, and shows blocked ones', async () => {
      await trellis.rows('UPDATE users SET deleted_at = now() WHERE id = $1', [developer.user.id]);
      await trellis.rows(`UPDATE users SET state = 'blocked' WHERE id = $1`, [master.user.id]);
      try {
        const answer = await trellis.as(owner).get(membersPath()).expect(200);
        expect(answer.body).toEqual([
          { ...memberOf(trellis, master, 40), state: 'blocked' },
          memberOf(trellis, owner, 40),
        ]);
        expect(answer.headers['x-total']).toBe('2');
        await trellis.as(owner).get(memberPath(developer)).expect(404);
      } finally {
        await trellis.rows(`UPDATE users SET deleted_at = NULL, state = 'active'`);
      }
    });

    it('costs the same number of statements for many members as for few', async () => {
      const measure = () =>
        trellis.statements.during(() => trellis.as(owner).get(membersPath()).expect(200));
      const few = await measure();
      await trellis.rows(
        `INSERT INTO project_members (project_id, user_id, access_level)
         SELECT $1, id, 20 FROM unnest($2::int[]) AS id`,
        [project.id, await trellis.factories.crowd(15)],
      );
      const many = await measure();
      expect(many).toHaveLength(few.length);
      expect(many.length).toBeLessThanOrEqual(6);
    });
  });

  describe('GET /projects/:id/members/:user_id', () => {
    it('answers one member, as far as the caller sees the project', async () => {
      await trellis.anonymous.get(memberPath(master)).expect(401);
      const malformed = await trellis.as(owner).get(`${membersPath()}/zoe`).expect(400);
      expect(malformed.body).toEqual({ error: 'user_id is invalid' });
      await trellis.as(stranger).get(memberPath(master)).expect(404);
      const answer = await trellis.as(developer).get(memberPath(master)).expect(200);
      expect(answer.body).toEqual(memberOf(trellis, master, 40));
      for (const id of [stranger.user.id, 0, 99_999_999_999]) {
        const absent = await trellis.as(owner).get(`${membersPath()}/${id}`).expect(404);
        expect(absent.body).toEqual({ message: '404 Not found' });
      }
    });
  });

  describe('DELETE /projects/:id/members/:user_id', () => {
    it('takes a credential and a master, or the member', async () => {
      await trellis.anonymous.delete(memberPath(developer)).expect(401);
      const malformed = await trellis.as(owner).delete(`${membersPath()}/zoe`).expect(400);
      expect(malformed.body).toEqual({ error: 'user_id is invalid' });
      await trellis.as(stranger).delete(memberPath(developer)).expect(404);
      const refused = await trellis.as(developer).delete(memberPath(master)).expect(403);
      expect(refused.body).toEqual(FORBIDDEN);
      await trellis.as(developer).delete(memberPath(stranger)).expect(403);
      expect(await rows()).toHaveLength(3);
    });

    it('removes a member and says so in the feed', async () => {
      const answer = await trellis.as(master).delete(memberPath(developer)).expect(200);
      expect(answer.body).toEqual(memberOf(trellis, developer, 30));
      expect(await rows()).toEqual([row(owner, 40), row(master, 40)]);
      expect((await feed()).at(-1)).toEqual(eventRow(developer, 'left'));
      await trellis.as(developer).get(`/projects/${project.id}`).expect(404);
    });

    it('lets members of every level leave', async () => {
      const guest = await trellis.factories.user();
      await trellis.factories.addToProject(project, guest, 10);
      for (const [person, level] of [
        [guest, 10],
        [developer, 30],
        [master, 40],
      ] as const) {
        const answer = await trellis.as(person).delete(memberPath(person)).expect(200);
        expect(answer.body).toEqual(memberOf(trellis, person, level));
      }
      expect(await rows()).toEqual([row(owner, 40)]);
    });

    it('revokes access of somebody who has none', async () => {
      const { id } = stranger.user;
      const answer = await trellis.as(master).delete(memberPath(stranger)).expect(200);
      expect(answer.body).toEqual({ message: 'Access revoked', id });
      const open = await trellis.factories.project(owner, { visibilityLevel: 20 });
      const own = await trellis
        .as(stranger)
        .delete(`/projects/${open.id}/members/${id}`)
        .expect(200);
      expect(own.body).toEqual({ message: 'Access revoked', id });
      const beyond = await trellis.as(owner).delete(`${membersPath()}/99999999999`).expect(404);
      expect(beyond.body).toEqual({ message: '404 Not found' });
      expect(await feed()).toEqual([created()]);
    });

    it('does not remove the owner of the personal namespace, member or not', async () => {
      const admin = await trellis.factories.admin();
      for (const caller of [master, owner, admin]) {
        const answer = await trellis.as(caller).delete(memberPath(owner)).expect(403);
        expect(answer.body).toEqual(FORBIDDEN);
      }
      await trellis.rows('DELETE FROM project_members WHERE user_id = $1', [owner.user.id]);
      await trellis.as(master).delete(memberPath(owner)).expect(403);
    });

    it('removes once however many ask, and tells of it once', async () => {
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => trellis.as(owner).delete(memberPath(developer))),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      const revoked = { message: 'Access revoked', id: developer.user.id };
      const others = answers.filter(({ body }) => !('message' in (body as object)));
      expect(others.map(({ body }) => body as object)).toEqual([memberOf(trellis, developer, 30)]);
      expect(answers.map(({ body }) => body as object)).toContainEqual(revoked);
      expect((await feed()).filter(({ action }) => action === 'left')).toHaveLength(1);
    });

    it('takes the form body that some clients send', async () => {
      await trellis
        .as(owner)
        .call('delete', memberPath(developer))
        .type('form')
        .send({ id: '1', user_id: String(master.user.id) })
        .expect(200);
      expect(await rows()).toEqual([row(owner, 40), row(master, 40)]);
    });
  });
});
