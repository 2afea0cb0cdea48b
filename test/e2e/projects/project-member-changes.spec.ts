import { eventRow, memberRow as row } from '../../support/member-rows.js';
import { ProjectTeam } from '../../support/project-team.js';
import { dayFromNow, memberOf, untilMidnightIsFar } from '../../support/summaries.js';
import { Trellis } from '../../support/trellis.js';

const FORBIDDEN = { message: '403 Forbidden' };

describe('changes of members of projects', () => {
  let trellis: Trellis;
  let team: ProjectTeam;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    team = await ProjectTeam.gather(trellis);
  });
  beforeEach(() => team.begin());

  describe('POST /projects/:id/members', () => {
    it('requires a credential, complete parameters and a master', async () => {
      const body = { user_id: team.stranger.user.id, access_level: 30 };
      await trellis.anonymous.post(team.membersPath(), body).expect(401);
      const cases: [object, string][] = [
        [{}, 'user_id is missing, access_level is missing'],
        [{ user_id: null, access_level: '' }, 'user_id is missing, access_level is missing'],
        [{ user_id: 'zoe', access_level: 30 }, 'user_id is invalid'],
        [{ ...body, access_level: [30] }, 'access_level is invalid'],
        [{ ...body, expires_at: 'tomorrow' }, 'expires_at is invalid'],
        [{ ...body, expires_at: '2031-02-30' }, 'expires_at is invalid'],
      ];
      for (const [given, error] of cases) {
        const answer = await trellis.as(team.owner).post(team.membersPath(), given).expect(400);
        expect(answer.body).toEqual({ error });
      }
      await trellis.as(team.stranger).post(team.membersPath(), body).expect(404);
      const refused = await trellis.as(team.developer).post(team.membersPath(), body).expect(403);
      expect(refused.body).toEqual(FORBIDDEN);
      expect(await team.rows()).toEqual([
        row(team.owner, 40),
        row(team.master, 40),
        row(team.developer, 30),
      ]);
    });

    it('returns 404 for unknown, deleted and ghost users', async () => {
      const gone = await trellis.factories.user();
      await trellis
        .as(await trellis.factories.admin())
        .delete(`/users/${String(gone.user.id)}`)
        .expect(200);
      const [ghost] = await trellis.rows<{ id: number }>('SELECT id FROM users WHERE ghost');
      for (const id of [gone.user.id, ghost!.id, 0, -1, 2_147_483_647, 99_999_999_999]) {
        // Nobody can be given a level that does not exist, either.
        for (const access_level of [30, 31]) {
          const body = { user_id: id, access_level };
          const answer = await trellis.as(team.owner).post(team.membersPath(), body).expect(404);
          expect(answer.body).toEqual({ message: '404 User Not Found' });
        }
      }
    });

    it('refuses unknown levels', async () => {
      for (const access_level of [0, 1, 15, 50, 60, -10, 2_147_483_647]) {
        const body = { user_id: team.stranger.user.id, access_level };
        const answer = await trellis.as(team.owner).post(team.membersPath(), body).expect(422);
        expect(answer.body).toEqual({ message: 'Access level is not known' });
      }
      expect(await team.rows()).toHaveLength(3);
      expect(await team.feed()).toEqual([team.created()]);
    });

    it('adds members of every level, with an event and access', async () => {
      const read = () => trellis.as(team.stranger).get(`/projects/${team.project.id}`);
      await read().expect(404);
      for (const level of [10, 20, 30, 40]) {
        const person = level === 10 ? team.stranger : await trellis.factories.user();
        const expires_at = dayFromNow(level);
        const body = { user_id: person.user.id, access_level: level, expires_at };
        const answer = await trellis.as(team.master).post(team.membersPath(), body).expect(200);
        expect(answer.body).toEqual(memberOf(trellis, person, level, expires_at));
        expect(await team.rows()).toContainEqual(row(person, level, expires_at));
        expect((await team.feed()).at(-1)).toEqual(eventRow(person, 'joined'));
      }
      await read().expect(200);
    });

    it('accepts form fields and timestamps, and a blank date as none', async () => {
      const first = await trellis
        .as(team.owner)
        .call('post', team.membersPath())
        .type('form')
        .send({ user_id: team.stranger.user.id, access_level: '20', expires_at: '' })
        .expect(200);
      expect(first.body).toEqual(memberOf(trellis, team.stranger, 20));
      const other = await trellis.factories.user();
      const body = {
        user_id: String(other.user.id),
        access_level: 20,
        expires_at: '2051-03-04T23:00:00-11:00',
      };
      const second = await trellis.as(team.owner).post(team.membersPath(), body).expect(200);
      expect(second.body).toEqual(memberOf(trellis, other, 20, '2051-03-04'));
    });

    it('accepts a past date, which grants no access', async () => {
      await untilMidnightIsFar();
      for (const [days, status] of [
        [-1, 404],
        [0, 404],
        [1, 200],
      ] as const) {
        const person = await trellis.factories.user();
        const expires_at = dayFromNow(days);
        const body = { user_id: person.user.id, access_level: 40, expires_at };
        const answer = await trellis.as(team.owner).post(team.membersPath(), body).expect(200);
        expect(answer.body).toEqual(memberOf(trellis, person, 40, expires_at));
        await trellis.as(person).get(`/projects/${team.project.id}`).expect(status);
      }
    });

    it('returns an existing member, unchanged, even for an unknown level', async () => {
      for (const access_level of [10, 77]) {
        const body = { user_id: team.developer.user.id, access_level, expires_at: '2050-01-01' };
        const answer = await trellis.as(team.owner).post(team.membersPath(), body).expect(200);
        expect(answer.body).toEqual(memberOf(trellis, team.developer, 30));
      }
      expect(await team.rows()).toContainEqual(row(team.developer, 30));
      expect(await team.feed()).toEqual([team.created()]);
    });

    it('creates one membership and one event for concurrent requests', async () => {
      const answers = await Promise.all(
        [10, 20, 30, 40, 10, 20, 30, 40].map((access_level) =>
          trellis
            .as(team.owner)
            .post(team.membersPath(), { user_id: team.stranger.user.id, access_level }),
        ),
      );
      const [first] = answers;
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      expect(answers.map(({ body }) => body as object)).toEqual(
        answers.map(() => first?.body as object),
      );
      expect(
        (await team.rows()).filter((made) => made['user_id'] === team.stranger.user.id),
      ).toHaveLength(1);
      expect((await team.feed()).filter(({ action }) => action === 'joined')).toHaveLength(1);
    });

    it('records no event for the owner of the personal namespace', async () => {
      await trellis.rows('DELETE FROM project_members WHERE user_id = $1', [team.owner.user.id]);
      const body = { user_id: team.owner.user.id, access_level: 40 };
      await trellis.as(team.owner).post(team.membersPath(), body).expect(200);
      expect(await team.feed()).toEqual([team.created()]);
    });
  });

  describe('PUT /projects/:id/members/:user_id', () => {
    it('requires a credential, complete parameters and a master', async () => {
      const path = team.memberPath(team.developer);
      await trellis.anonymous.put(path, { access_level: 20 }).expect(401);
      const missing = await trellis.as(team.owner).put(path, {}).expect(400);
      expect(missing.body).toEqual({ error: 'access_level is missing' });
      const day = await trellis
        .as(team.owner)
        .put(path, { access_level: 20, expires_at: {} })
        .expect(400);
      expect(day.body).toEqual({ error: 'expires_at is invalid' });
      await trellis.as(team.owner).put(`${team.membersPath()}/x`, { access_level: 20 }).expect(400);
      await trellis.as(team.stranger).put(path, { access_level: 20 }).expect(404);
      await trellis.as(team.developer).put(path, { access_level: 40 }).expect(403);
      const level = await trellis.as(team.owner).put(path, { access_level: 50 }).expect(422);
      expect(level.body).toEqual({ message: 'Access level is not known' });
      expect(await team.rows()).toContainEqual(row(team.developer, 30));
    });

    it('returns 404 for a user without a membership', async () => {
      for (const id of [team.stranger.user.id, 0, 99_999_999_999]) {
        const path = `${team.membersPath()}/${id}`;
        const answer = await trellis.as(team.owner).put(path, { access_level: 20 }).expect(404);
        expect(answer.body).toEqual({ message: '404 Not found' });
      }
    });

    it('updates the level; the expiry stays, moves, or is removed by null and ""', async () => {
      const steps: [object, number, string | null][] = [
        [{ access_level: 20 }, 20, null],
        [{ access_level: 20, expires_at: '2050-05-05' }, 20, '2050-05-05'],
        [{ access_level: 40 }, 40, '2050-05-05'],
        [{ access_level: 10, expires_at: null }, 10, null],
        [{ access_level: 30, expires_at: '2001-01-01' }, 30, '2001-01-01'],
        [{ access_level: '30', expires_at: '' }, 30, null],
      ];
      for (const [body, level, expiresAt] of steps) {
        const answer = await trellis
          .as(team.master)
          .put(team.memberPath(team.developer), body)
          .expect(200);
        expect(answer.body).toEqual(memberOf(trellis, team.developer, level, expiresAt));
        expect(await team.rows()).toContainEqual(row(team.developer, level, expiresAt));
      }
      expect(await team.feed()).toEqual([team.created()]);
    });

    it('ignores a user_id in the body', async () => {
      const body = { user_id: team.master.user.id, access_level: 10 };
      await trellis.as(team.owner).put(team.memberPath(team.developer), body).expect(200);
      expect(await team.rows()).toEqual([
        row(team.owner, 40),
        row(team.master, 40),
        row(team.developer, 10),
      ]);
    });

    it('keeps the membership of the owner of the personal namespace', async () => {
      const admin = await trellis.factories.admin();
      for (const caller of [team.master, team.owner, admin]) {
        for (const body of [
          { access_level: 30 },
          { access_level: 15 },
          { access_level: 40, expires_at: '2050-01-01' },
        ]) {
          const answer = await trellis
            .as(caller)
            .put(team.memberPath(team.owner), body)
            .expect(403);
          expect(answer.body).toEqual(FORBIDDEN);
        }
      }
      await trellis
        .as(team.master)
        .put(team.memberPath(team.owner), { access_level: 40 })
        .expect(200);
      expect(await team.rows()).toContainEqual(row(team.owner, 40));
    });
  });
});
