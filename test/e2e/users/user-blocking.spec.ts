import type { Person } from '../../support/factories.js';
import { withOnlyAdministrators } from '../../support/only-administrators.js';
import { Trellis } from '../../support/trellis.js';

describe('PUT /users/:id/block and /unblock', () => {
  let trellis: Trellis;
  let admin: Person;
  let person: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
    person = await trellis.factories.user();
  });

  const put = (who: Person, verb: 'block' | 'unblock', by = admin) =>
    trellis.as(by).put(`/users/${String(who.user.id)}/${verb}`);

  it('require an administrator and an existing account', async () => {
    for (const verb of ['block', 'unblock'] as const) {
      await trellis.anonymous.put(`/users/${String(person.user.id)}/${verb}`).expect(401);
      await put(admin, verb, person).expect(403);
      await trellis.as(person).put(`/users/999999/${verb}`).expect(403);
      const absent = await trellis.as(admin).put(`/users/999999/${verb}`).expect(404);
      expect(absent.body).toEqual({ message: '404 User Not Found' });
      const noRoute = await trellis.as(admin).put(`/users/zoe/${verb}`).expect(404);
      expect(noRoute.body).toEqual({ error: '404 Not Found' });
    }
  });

  it('revoke all access of an account and restore it', async () => {
    const project = await trellis.factories.project(person, { visibilityLevel: 20 });
    const git = (secret: string) =>
      fetch(`${trellis.url}/${project.fullPath}.git/info/refs?service=git-upload-pack`, {
        headers: {
          Authorization: `Basic ${Buffer.from(`${person.user.username}:${secret}`).toString('base64')}`,
        },
      });
    const statuses = async () => [
      (await trellis.as(person).get('/user')).status,
      (
        await trellis.anonymous.post('/session', {
          login: person.user.username,
          password: person.password,
        })
      ).status,
      (await git(person.password)).status,
      (await git(person.token)).status,
      (await trellis.as(admin).get(`/user?sudo=${person.user.username}`)).status,
    ];
    expect(await statuses()).toEqual([200, 200, 200, 200, 200]);
    expect((await put(person, 'unblock').expect(200)).body).toBe(false);
    expect((await put(person, 'block').expect(200)).body).toBe(true);
    expect(await statuses()).toEqual([401, 401, 401, 401, 403]);
    expect((await put(person, 'block').expect(200)).body).toBe(false);
    const shown = await trellis
      .as(admin)
      .get(`/users/${String(person.user.id)}`)
      .expect(200);
    expect(shown.body).toMatchObject({ state: 'blocked' });
    expect((await put(person, 'unblock').expect(200)).body).toBe(true);
    expect(await statuses()).toEqual([200, 200, 200, 200, 200]);
  });

  it('report a change once for concurrent requests', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => put(person, 'block')));
    expect(answers.map(({ body }) => body as boolean).sort()).toEqual([false, false, false, true]);
    await put(person, 'unblock').expect(200);
  });

  it('are refused for the caller, and for the last administrator', async () => {
    const refused = await put(admin, 'block').expect(403);
    expect(refused.body).toEqual({ message: '403 Forbidden' });
    expect((await put(admin, 'unblock').expect(200)).body).toBe(false);
    const second = await trellis.factories.admin();
    await withOnlyAdministrators(trellis, [admin, second], async () => {
      const answers = await Promise.all([put(admin, 'block', second), put(second, 'block', admin)]);
      expect(answers.map(({ status }) => status)).toContain(200);
      const active = await trellis.rows(`SELECT 1 FROM users WHERE admin AND state = 'active'`);
      expect(active).toHaveLength(1);
    });
    await trellis.rows(`UPDATE users SET state = 'active' WHERE id = ANY($1)`, [
      [admin.user.id, second.user.id],
    ]);
  });

  it('are refused for accounts blocked by LDAP', async () => {
    const { user } = person;
    await trellis.rows(
      `UPDATE users SET state = 'blocked', directory_blocked = true WHERE id = $1`,
      [user.id],
    );
    expect((await put(person, 'block').expect(403)).body).toEqual({
      message: '403 Forbidden - LDAP blocked users cannot be modified by the API',
    });
    expect((await put(person, 'unblock').expect(403)).body).toEqual({
      message: '403 Forbidden - LDAP blocked users cannot be unblocked by the API',
    });
    expect(await trellis.rows('SELECT state FROM users WHERE id = $1', [user.id])).toEqual([
      { state: 'blocked' },
    ]);
    await trellis.rows(
      `UPDATE users SET state = 'active', directory_blocked = false WHERE id = $1`,
      [user.id],
    );
  });
});
