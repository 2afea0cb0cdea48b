import type { Person } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

describe('GET /user', () => {
  let trellis: Trellis;
  let admin: Person;
  let person: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
    person = await trellis.factories.user();
  });

  it('requires a known and active credential', async () => {
    const blocked = await trellis.factories.user();
    await trellis.rows(`UPDATE users SET state = 'blocked' WHERE id = $1`, [blocked.user.id]);
    for (const client of [
      trellis.anonymous,
      trellis.as({ token: 'no-such-token' }),
      trellis.as(blocked),
    ]) {
      const answer = await client.get('/user').expect(401);
      expect(answer.body).toEqual({ message: '401 Unauthorized' });
      expect(answer.headers).not.toHaveProperty('www-authenticate');
    }
  });

  it('accepts the token as header, as parameter and as bearer', async () => {
    const { token } = person;
    const answers = [
      await trellis.as(person).get('/user'),
      await trellis.anonymous.get(`/user?private_token=${token}`),
      await trellis.anonymous.get('/user').set('Authorization', `Bearer ${token}`),
      await trellis.anonymous.get('/user?private_token=').set('PRIVATE-TOKEN', token),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({ id: person.user.id, email: person.user.email });
      expect(answer.body).not.toHaveProperty('private_token');
    }
  });

  it('prefers the parameter to the header', async () => {
    const answer = await trellis.as(admin).get(`/user?private_token=${person.token}`).expect(200);
    expect(answer.body).toMatchObject({ id: person.user.id });
  });

  it('allows only administrators to use sudo', async () => {
    const answer = await trellis
      .as(person)
      .get(`/user?sudo=${String(admin.user.id)}`)
      .expect(403);
    expect(answer.body).toEqual({ message: '403 Forbidden - Must be admin to use sudo' });
    await trellis.anonymous.get(`/user?sudo=${admin.user.username}`).expect(401);
  });

  it('acts as the sudo user, given by ID or user name, and shows its token', async () => {
    const { id, username } = person.user;
    const asAdmin = trellis.as(admin);
    const answers = [
      await asAdmin.get(`/user?sudo=${String(id)}`),
      await asAdmin.get(`/user?sudo=${username.toUpperCase()}`),
      await asAdmin.get('/user').set('SUDO', username),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({ id, username, private_token: person.token });
    }
  });

  it('returns an error for an unknown sudo user', async () => {
    const blocked = await trellis.factories.user();
    await trellis.rows(`UPDATE users SET state = 'blocked' WHERE id = $1`, [blocked.user.id]);
    const asAdmin = trellis.as(admin);
    const unknown = await asAdmin.get('/user?sudo=zoe').expect(404);
    expect(unknown.body).toEqual({ message: '404 No user id or username for: zoe Not Found' });
    await asAdmin.get('/user?sudo=99999999999999999999').expect(404);
    await asAdmin.get(`/user?sudo=${blocked.user.username}`).expect(403);
  });

  it('shows each caller their own account, also under concurrency', async () => {
    const limited = await trellis.factories.user({ projectsLimit: 0 });
    const people = [person, limited, person, admin, limited];
    const answers = await Promise.all([
      ...people.map((one) => trellis.as(one).get('/user').expect(200)),
      ...people.map((one) => trellis.as(one).get('/projects').expect(200)),
    ]);
    const shown = answers.slice(0, people.length).map(({ body }) => body as object);
    expect(shown).toEqual(
      people.map((one): unknown =>
        expect.objectContaining({ id: one.user.id, can_create_project: one !== limited }),
      ),
    );
  });

  it('shows whether another project may be created', async () => {
    const limited = await trellis.factories.user({ projectsLimit: 1 });
    const before = await trellis.as(limited).get('/user').expect(200);
    expect(before.body).toMatchObject({ projects_limit: 1, can_create_project: true });
    await trellis.factories.project(limited);
    const after = await trellis.as(limited).get('/user').expect(200);
    expect(after.body).toMatchObject({ can_create_project: false });
  });
});
