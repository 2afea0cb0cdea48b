import { eventRow, memberRow as row } from '../../support/member-rows.js';
import { ProjectTeam } from '../../support/project-team.js';
import { memberOf } from '../../support/summaries.js';
import { Trellis } from '../../support/trellis.js';

const FORBIDDEN = { message: '403 Forbidden' };

describe('members of projects', () => {
  let trellis: Trellis;
  let team: ProjectTeam;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    team = await ProjectTeam.gather(trellis);
  });
  beforeEach(() => team.begin());

  describe('GET /projects/:id/members', () => {
    it('requires a credential and well-formed parameters', async () => {
      const open = await trellis.factories.project(team.owner, { visibilityLevel: 20 });
      await trellis.anonymous.get(`/projects/${open.id}/members`).expect(401);
      const asOwner = trellis.as(team.owner);
      const page = await asOwner.get(`${team.membersPath()}?page=x`).expect(400);
      expect(page.body).toEqual({ error: 'page is invalid' });
      const query = await asOwner.get(`${team.membersPath()}?query[a]=x`).expect(400);
      expect(query.body).toEqual({ error: 'query is invalid' });
    });

    it('returns 404 to strangers of a private project', async () => {
      const answer = await trellis.as(team.stranger).get(team.membersPath()).expect(404);
      expect(answer.body).toEqual({ message: '404 Project Not Found' });
      await trellis.as(team.owner).get('/projects/99999999999/members').expect(404);
      await trellis.as(team.owner).get('/projects/nobody%2Fnothing/members').expect(404);
    });

    it('lists direct members, the newest account first, to every reader of the project', async () => {
      const group = await trellis.factories.group(team.stranger);
      await trellis.factories.share(team.project, group, 30);
      const all = [
        memberOf(trellis, team.developer, 30),
        memberOf(trellis, team.master, 40),
        memberOf(trellis, team.owner, 40),
      ];
      for (const reader of [team.owner, team.developer, team.stranger]) {
        const answer = await trellis.as(reader).get(team.membersPath()).expect(200);
        expect(answer.body).toEqual(all);
      }
      const second = await trellis
        .as(team.owner)
        .get(`${team.membersPath()}?per_page=2&page=2`)
        .expect(200);
      expect(second.body).toEqual(all.slice(2));
      expect(second.headers).toMatchObject({ 'x-total': '3', 'x-next-page': '' });
      const byPath = await trellis
        .as(team.owner)
        .get(`/projects/${encodeURIComponent(team.project.fullPath)}/members`)
        .expect(200);
      expect(byPath.body).toEqual(all);
    });

    it('searches name and user name literally and case-insensitively', async () => {
      const found = await trellis.factories.user({
        username: 'Zoe_100_here',
        name: 'Ärger 100% Öl',
      });
      await trellis.factories.addToProject(team.project, found, 10);
      const search = async (query: string) => {
        const path = `${team.membersPath()}?query=${encodeURIComponent(query)}`;
        const answer = await trellis.as(team.owner).get(path).expect(200);
        return (answer.body as { id: number }[]).map(({ id }) => id);
      };
      for (const query of ['ÄRGER 100% ö', 'zoe_100']) {
        expect(await search(query)).toEqual([found.user.id]);
      }
      expect(await search('')).toHaveLength(4);
      for (const query of ['ä%l', 'zo_', "' OR 1=1 --", '\\']) {
        expect(await search(query)).toEqual([]);
      }
    });

    it('excludes deleted accounts at once, and shows blocked ones', async () => {
      await trellis.rows('UPDATE users SET deleted_at = now() WHERE id = $1', [
        team.developer.user.id,
      ]);
      await trellis.rows(`UPDATE users SET state = 'blocked' WHERE id = $1`, [team.master.user.id]);
      try {
        const answer = await trellis.as(team.owner).get(team.membersPath()).expect(200);
        expect(answer.body).toEqual([
          { ...memberOf(trellis, team.master, 40), state: 'blocked' },
          memberOf(trellis, team.owner, 40),
        ]);
        expect(answer.headers['x-total']).toBe('2');
        await trellis.as(team.owner).get(team.memberPath(team.developer)).expect(404);
      } finally {
        await trellis.rows(
          `UPDATE users SET deleted_at = NULL, state = 'active' WHERE id = ANY($1)`,
          [[team.developer.user.id, team.master.user.id]],
        );
      }
    });

    it('takes the same number of statements for many members as for few', async () => {
      const measure = () =>
        trellis.statements.during(() => trellis.as(team.owner).get(team.membersPath()).expect(200));
      const few = await measure();
      await trellis.rows(
        `INSERT INTO project_members (project_id, user_id, access_level)
         SELECT $1, id, 20 FROM unnest($2::int[]) AS id`,
        [team.project.id, await trellis.factories.crowd(15)],
      );
      const many = await measure();
      expect(many).toHaveLength(few.length);
      expect(many.length).toBeLessThanOrEqual(6);
    });
  });

  describe('GET /projects/:id/members/:user_id', () => {
    it('returns one member to every reader of the project', async () => {
      await trellis.anonymous.get(team.memberPath(team.master)).expect(401);
      const malformed = await trellis.as(team.owner).get(`${team.membersPath()}/zoe`).expect(400);
      expect(malformed.body).toEqual({ error: 'user_id is invalid' });
      await trellis.as(team.stranger).get(team.memberPath(team.master)).expect(404);
      const answer = await trellis.as(team.developer).get(team.memberPath(team.master)).expect(200);
      expect(answer.body).toEqual(memberOf(trellis, team.master, 40));
      for (const id of [team.stranger.user.id, 0, 99_999_999_999]) {
        const absent = await trellis.as(team.owner).get(`${team.membersPath()}/${id}`).expect(404);
        expect(absent.body).toEqual({ message: '404 Not found' });
      }
    });
  });

  describe('DELETE /projects/:id/members/:user_id', () => {
    it('requires a credential and a master, or the member', async () => {
      await trellis.anonymous.delete(team.memberPath(team.developer)).expect(401);
      const malformed = await trellis
        .as(team.owner)
        .delete(`${team.membersPath()}/zoe`)
        .expect(400);
      expect(malformed.body).toEqual({ error: 'user_id is invalid' });
      await trellis.as(team.stranger).delete(team.memberPath(team.developer)).expect(404);
      const refused = await trellis
        .as(team.developer)
        .delete(team.memberPath(team.master))
        .expect(403);
      expect(refused.body).toEqual(FORBIDDEN);
      await trellis.as(team.developer).delete(team.memberPath(team.stranger)).expect(403);
      expect(await team.rows()).toHaveLength(3);
    });

    it('removes a member and records an event', async () => {
      const answer = await trellis
        .as(team.master)
        .delete(team.memberPath(team.developer))
        .expect(200);
      expect(answer.body).toEqual(memberOf(trellis, team.developer, 30));
      expect(await team.rows()).toEqual([row(team.owner, 40), row(team.master, 40)]);
      expect((await team.feed()).at(-1)).toEqual(eventRow(team.developer, 'left'));
      await trellis.as(team.developer).get(`/projects/${team.project.id}`).expect(404);
    });

    it('allows members of every level to leave', async () => {
      const guest = await trellis.factories.user();
      await trellis.factories.addToProject(team.project, guest, 10);
      for (const [person, level] of [
        [guest, 10],
        [team.developer, 30],
        [team.master, 40],
      ] as const) {
        const answer = await trellis.as(person).delete(team.memberPath(person)).expect(200);
        expect(answer.body).toEqual(memberOf(trellis, person, level));
      }
      expect(await team.rows()).toEqual([row(team.owner, 40)]);
    });

    it('revokes access of a user without a membership', async () => {
      const { id } = team.stranger.user;
      const answer = await trellis
        .as(team.master)
        .delete(team.memberPath(team.stranger))
        .expect(200);
      expect(answer.body).toEqual({ message: 'Access revoked', id });
      const open = await trellis.factories.project(team.owner, { visibilityLevel: 20 });
      const own = await trellis
        .as(team.stranger)
        .delete(`/projects/${open.id}/members/${id}`)
        .expect(200);
      expect(own.body).toEqual({ message: 'Access revoked', id });
      const beyond = await trellis
        .as(team.owner)
        .delete(`${team.membersPath()}/99999999999`)
        .expect(404);
      expect(beyond.body).toEqual({ message: '404 Not found' });
      expect(await team.feed()).toEqual([team.created()]);
    });

    it('keeps the owner of the personal namespace, member or not', async () => {
      const admin = await trellis.factories.admin();
      for (const caller of [team.master, team.owner, admin]) {
        const answer = await trellis.as(caller).delete(team.memberPath(team.owner)).expect(403);
        expect(answer.body).toEqual(FORBIDDEN);
      }
      await trellis.rows('DELETE FROM project_members WHERE user_id = $1', [team.owner.user.id]);
      await trellis.as(team.master).delete(team.memberPath(team.owner)).expect(403);
    });

    it('removes once and records one event for concurrent requests', async () => {
      const answers = await Promise.all(
        Array.from({ length: 6 }, () =>
          trellis.as(team.owner).delete(team.memberPath(team.developer)),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      const revoked = { message: 'Access revoked', id: team.developer.user.id };
      const others = answers.filter(({ body }) => !('message' in (body as object)));
      expect(others.map(({ body }) => body as object)).toEqual([
        memberOf(trellis, team.developer, 30),
      ]);
      expect(answers.map(({ body }) => body as object)).toContainEqual(revoked);
      expect((await team.feed()).filter(({ action }) => action === 'left')).toHaveLength(1);
    });

    it('accepts the form body of some clients', async () => {
      await trellis
        .as(team.owner)
        .call('delete', team.memberPath(team.developer))
        .type('form')
        .send({ id: '1', user_id: String(team.master.user.id) })
        .expect(200);
      expect(await team.rows()).toEqual([row(team.owner, 40), row(team.master, 40)]);
    });
  });
});
