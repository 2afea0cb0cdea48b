import { SHARES_PER_PROJECT } from '../../../src/modules/memberships/shares/shares.service.js';
import type { MadeGroup, MadeProject, Person } from '../../support/factories.js';
import { dayFromNow } from '../../support/summaries.js';
import { Trellis } from '../../support/trellis.js';

describe('shares of projects with groups', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;
  let member: Person;
  let stranger: Person;
  let project: MadeProject;
  let group: MadeGroup;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    member = await trellis.factories.user();
    stranger = await trellis.factories.user();
  });

  beforeEach(async () => {
    project = await trellis.factories.project(owner);
    group = await trellis.factories.group(member);
  });

  const sharePath = () => `/projects/${project.id}/share`;
  const rows = () =>
    trellis.rows(
      `SELECT group_id, group_access, expires_at::text FROM project_group_links
        WHERE project_id = $1 ORDER BY id`,
      [project.id],
    );

  describe('POST /projects/:id/share', () => {
    it('requires a credential and complete parameters', async () => {
      const body = { group_id: group.id, group_access: 30 };
      await trellis.anonymous.post(sharePath(), body).expect(401);
      const cases: [object, string][] = [
        [{}, 'group_id is missing, group_access is missing'],
        [{ ...body, group_id: group.path }, 'group_id is invalid'],
        [{ ...body, group_access: 50 }, 'group_access does not have a valid value'],
        [{ ...body, group_access: 0 }, 'group_access does not have a valid value'],
        [{ ...body, group_access: 99_999_999_999 }, 'group_access does not have a valid value'],
        [{ ...body, group_access: 'master' }, 'group_access is invalid'],
        [{ ...body, group_access: { a: 30 } }, 'group_access is invalid'],
        [{ ...body, expires_at: '2050-13-01' }, 'expires_at is invalid'],
      ];
      for (const [given, error] of cases) {
        const answer = await trellis.as(owner).post(sharePath(), given).expect(400);
        expect(answer.body).toEqual({ error });
      }
      expect(await rows()).toEqual([]);
    });

    it('requires a master who can read the group', async () => {
      const body = { group_id: group.id, group_access: 30 };
      const hidden = await trellis.as(stranger).post(sharePath(), body).expect(404);
      expect(hidden.body).toEqual({ message: '404 Project Not Found' });
      const developer = await trellis.factories.user();
      await trellis.factories.addToProject(project, developer, 30);
      const refused = await trellis.as(developer).post(sharePath(), body).expect(403);
      expect(refused.body).toEqual({ message: '403 Forbidden' });
      const secret = await trellis.factories.group(member, { visibilityLevel: 0 });
      const gone = await trellis.factories.group(owner);
      await trellis.rows('UPDATE namespaces SET deleted_at = now() WHERE id = $1', [gone.id]);
      const [personal] = await trellis.rows<{ id: number }>(
        'SELECT id FROM namespaces WHERE owner_id = $1',
        [owner.user.id],
      );
      for (const id of [secret.id, gone.id, personal?.id, 0, -5, 2_147_483_647, 99_999_999_999]) {
        const answer = await trellis
          .as(owner)
          .post(sharePath(), { ...body, group_id: id })
          .expect(404);
        expect(answer.body).toEqual({ message: '404 Group Not Found' });
      }
      expect(await rows()).toEqual([]);
    });

    it('shares at every level, with or without an expiry', async () => {
      for (const [level, expiresAt] of [
        [10, null],
        [20, '2050-02-03'],
        [30, dayFromNow(-1)],
        [40, null],
      ] as const) {
        const other = await trellis.factories.group(member);
        const body = { group_id: other.id, group_access: level, expires_at: expiresAt };
        const answer = await trellis.as(owner).post(sharePath(), body).expect(200);
        expect(answer.body).toEqual({
          id: expect.any(Number),
          project_id: project.id,
          group_id: other.id,
          group_access: level,
          expires_at: expiresAt,
        });
        expect((await rows()).at(-1)).toEqual({
          ...{ group_id: other.id, group_access: level, expires_at: expiresAt },
        });
      }
      await trellis.as(member).get(`/projects/${project.id}`).expect(200);
      const events = await trellis.rows('SELECT action FROM events WHERE project_id = $1', [
        project.id,
      ]);
      expect(events).toEqual([{ action: 'created' }]);
    });

    it('accepts the form fields of some clients', async () => {
      const answer = await trellis
        .as(owner)
        .call('post', sharePath())
        .type('form')
        .send({ id: '1', group_id: String(group.id), group_access: '30', expires_at: '' })
        .expect(200);
      expect(answer.body).toMatchObject({ group_id: group.id, group_access: 30, expires_at: null });
    });

    it('refuses a second share, also concurrently', async () => {
      const body = { group_id: group.id, group_access: 30 };
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => trellis.as(owner).post(sharePath(), body)),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      for (const refused of answers.filter(({ status }) => status !== 200)) {
        expect(refused.status).toBe(409);
        expect(refused.body).toEqual({ message: 'Group already shared with this group' });
      }
      expect(await rows()).toHaveLength(1);
    });

    it('limits the number of groups', async () => {
      await trellis.rows(
        `WITH made AS (
           INSERT INTO namespaces (name, path) SELECT t, t
             FROM (SELECT 'many-' || $3 || '-' || n AS t FROM generate_series(1, $2::int) n) AS texts
           RETURNING id)
         INSERT INTO project_group_links (project_id, group_id, group_access)
         SELECT $1, id, 30 FROM made`,
        [project.id, SHARES_PER_PROJECT, group.path],
      );
      const text = `Maximum number of group links (${String(SHARES_PER_PROJECT)}) exceeded`;
      await trellis
        .as(owner)
        .post(sharePath(), { group_id: group.id, group_access: 30 })
        .expect(400, { message: text });
      expect(await rows()).toHaveLength(SHARES_PER_PROJECT);
    });

    it('refuses the group of the project', async () => {
      const inside = await trellis.factories.project(admin, { namespaceId: group.id });
      const answer = await trellis
        .as(member)
        .post(`/projects/${inside.id}/share`, { group_id: group.id, group_access: 10 })
        .expect(409);
      expect(answer.body).toEqual({
        message: 'Project cannot be shared with the project it is in.',
      });
    });

    it('refuses where the namespace locks sharing', async () => {
      const locking = await trellis.factories.group(member);
      const inside = await trellis.factories.project(admin, { namespaceId: locking.id });
      await trellis.rows('UPDATE namespaces SET share_with_group_lock = true WHERE id = $1', [
        locking.id,
      ]);
      const answer = await trellis
        .as(member)
        .post(`/projects/${inside.id}/share`, { group_id: group.id, group_access: 10 })
        .expect(400);
      expect(answer.body).toEqual({ message: 'The project sharing with group is disabled' });
    });
  });

  describe('DELETE /projects/:id/share/:group_id', () => {
    it('requires a credential, an ID and a master', async () => {
      await trellis.factories.share(project, group, 20);
      const path = `${sharePath()}/${group.id}`;
      await trellis.anonymous.delete(path).expect(401);
      const malformed = await trellis.as(owner).delete(`${sharePath()}/${group.path}`).expect(400);
      expect(malformed.body).toEqual({ error: 'group_id is invalid' });
      await trellis.as(stranger).delete(path).expect(404);
      const refused = await trellis.as(member).delete(path).expect(403);
      expect(refused.body).toEqual({ message: '403 Forbidden' });
      expect(await rows()).toHaveLength(1);
    });

    it('revokes the access, without a body', async () => {
      await trellis.factories.share(project, group, 20);
      await trellis.as(member).get(`/projects/${project.id}`).expect(200);
      const answer = await trellis.as(owner).delete(`${sharePath()}/${group.id}`).expect(204);
      expect(answer.text).toBe('');
      expect(answer.headers['content-type']).toBeUndefined();
      expect(await rows()).toEqual([]);
      await trellis.as(member).get(`/projects/${project.id}`).expect(404);
    });

    it('returns 404 for a missing share', async () => {
      for (const id of [group.id, 0, 99_999_999_999]) {
        const answer = await trellis.as(owner).delete(`${sharePath()}/${id}`).expect(404);
        expect(answer.body).toEqual({ message: '404 Group Link Not Found' });
      }
    });

    it('works for groups that the caller cannot read', async () => {
      const secret = await trellis.factories.group(member, { visibilityLevel: 0 });
      await trellis.factories.share(project, secret, 20);
      await trellis.as(owner).delete(`${sharePath()}/${secret.id}`).expect(204);
    });

    it('removes once for concurrent requests', async () => {
      await trellis.factories.share(project, group, 20);
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => trellis.as(owner).delete(`${sharePath()}/${group.id}`)),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404]);
    });
  });
});
