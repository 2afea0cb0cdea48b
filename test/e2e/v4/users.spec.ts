import type { Person } from '../../support/factories.js';
import { unique } from '../../support/factories.js';
import { newKey } from '../../support/public-keys.js';
import { Trellis } from '../../support/trellis.js';

describe('users of version 4', () => {
  let trellis: Trellis;
  let person: Person;
  let admin: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    person = await trellis.factories.user({ bio: 'Plays the viola', messenger: 'zoe.s' });
    admin = await trellis.factories.admin();
  });

  const basic = ({ user }: Person) => ({
    id: user.id,
    username: user.username,
    name: user.name,
    state: 'active',
    locked: false,
    avatar_url: expect.stringContaining('https://secure.gravatar.com/avatar/') as string,
    web_url: `${trellis.url}/${user.username}`,
  });

  const profile = (of: Person) => ({
    ...basic(of),
    created_at: of.user.createdAt.toISOString(),
    bio: of.user.bio,
    location: null,
    public_email: null,
    skype: of.user.messenger,
    linkedin: null,
    twitter: null,
    website_url: null,
    organization: null,
    job_title: null,
    pronouns: null,
    bot: false,
  });

  const full = (of: Person) => ({
    ...profile(of),
    last_sign_in_at: null,
    confirmed_at: of.user.confirmedAt?.toISOString(),
    last_activity_on: null,
    email: of.user.email,
    theme_id: of.user.themeId,
    color_scheme_id: of.user.colorSchemeId,
    projects_limit: of.user.projectsLimit,
    current_sign_in_at: null,
    identities: [],
    can_create_group: true,
    can_create_project: of.user.projectsLimit > 0,
    two_factor_enabled: false,
    external: false,
    private_profile: false,
    commit_email: of.user.email,
  });

  describe('GET /user', () => {
    it('returns the account of the caller without its token, and whether it is an administrator only to those', async () => {
      const own = await trellis.as(person).v4.get('/user').expect(200);
      expect(own.body).toEqual(full(person));
      const administrator = await trellis.as(admin).v4.get('/user').expect(200);
      expect(administrator.body).toEqual({ ...full(admin), is_admin: true });
      const old = await trellis.as(person).get('/user').expect(200);
      expect(old.body).toMatchObject({ id: person.user.id, messenger: 'zoe.s' });
    });

    it('returns the account that an administrator acts as, without its token', async () => {
      const answer = await trellis.as(admin).v4.get(`/user?sudo=${person.user.username}`);
      expect(answer.body).toEqual(full(person));
    });

    it('returns 401 without a credential, and headers alone for HEAD', async () => {
      const refused = await trellis.anonymous.v4.get('/user').expect(401);
      expect(refused.body).toEqual({ message: '401 Unauthorized' });
      await trellis.as(person).v4.call('head', '/user').expect(200);
    });
  });

  describe('GET /users', () => {
    it('finds a user name in any case, in the short form', async () => {
      const name = person.user.username.toUpperCase();
      const found = await trellis.as(person).v4.get(`/users?username=${name}`).expect(200);
      expect(found.body).toEqual([basic(person)]);
      expect(found.headers).toMatchObject({ 'x-total': '1', 'x-page': '1', 'x-per-page': '20' });
    });

    it('returns all fields to administrators', async () => {
      const found = await trellis.as(admin).v4.get(`/users?search=${person.user.username}`);
      const [namespace] = await trellis.rows<{ id: number }>(
        'SELECT id FROM namespaces WHERE owner_id = $1',
        [person.user.id],
      );
      expect(found.body).toEqual([
        { ...full(person), is_admin: false, namespace_id: namespace?.id },
      ]);
    });

    it('lists the blocked accounts, newest first', async () => {
      const blocked = [await trellis.factories.user(), await trellis.factories.user()];
      for (const { user } of blocked) {
        const answer = await trellis.as(admin).v4.post(`/users/${String(user.id)}/block`);
        expect([answer.status, answer.body]).toEqual([201, true]);
      }
      const found = await trellis.as(person).v4.get('/users?blocked=true&per_page=2').expect(200);
      expect((found.body as { id: number }[]).map(({ id }) => id)).toEqual(
        blocked.map(({ user }) => user.id).reverse(),
      );
    });
  });

  describe('GET /users/:id', () => {
    it('returns the public fields, and all to administrators', async () => {
      const path = `/users/${String(person.user.id)}`;
      const shown = await trellis.as(admin).v4.get(path).expect(200);
      expect(shown.body).toMatchObject(full(person));
      const stranger = await trellis.factories.user();
      const seen = await trellis.as(stranger).v4.get(path).expect(200);
      expect(seen.body).toEqual(profile(person));
    });

    it('returns 404 for an unknown account and 400 for a name', async () => {
      const absent = await trellis.as(person).v4.get('/users/2147483647').expect(404);
      expect(absent.body).toEqual({ message: '404 User Not Found' });
      const named = await trellis.as(person).v4.get('/users/somebody').expect(400);
      expect(named.body).toEqual({ error: 'id is invalid' });
    });
  });

  describe('POST /users', () => {
    const wanted = () => {
      const username = `new-${unique()}`;
      return { username, name: 'New', email: `${username}@example.com` };
    };

    it('creates an account with a random password, which version 3 shows', async () => {
      const body = { ...wanted(), force_random_password: true, skype: 'new.s' };
      const made = await trellis.as(admin).v4.post('/users', body).expect(201);
      const { id } = made.body as { id: number };
      expect(made.body).toMatchObject({ username: body.username, skype: 'new.s', is_admin: false });
      const old = await trellis
        .as(admin)
        .get(`/users/${String(id)}`)
        .expect(200);
      expect(old.body).toMatchObject({ username: body.username, messenger: 'new.s' });
    });

    it('returns 400 without any way to a password', async () => {
      const refused = await trellis.as(admin).v4.post('/users', wanted()).expect(400);
      expect(refused.body).toEqual({
        error:
          'password, reset_password, force_random_password are missing, at least one parameter must be provided',
      });
    });

    it('returns 409 for a name that is taken, on changes too', async () => {
      const taken = { ...wanted(), username: person.user.username, password: 'long enough' };
      const refused = await trellis.as(admin).v4.post('/users', taken).expect(409);
      expect(refused.body).toEqual({ message: 'Username has already been taken' });
      const path = `/users/${String(admin.user.id)}`;
      await trellis.as(admin).v4.put(path, { username: person.user.username }).expect(409);
    });

    it('returns 403 to people', async () => {
      await trellis.as(person).v4.post('/users', wanted()).expect(403);
    });
  });

  describe('PUT and DELETE /users/:id', () => {
    it('changes an account, and deletes it with 204', async () => {
      const { user } = await trellis.factories.user();
      const path = `/users/${String(user.id)}`;
      const changed = await trellis.as(admin).v4.put(path, { linkedin: 'l', bio: null });
      expect(changed.body).toMatchObject({ linkedin: 'l', bio: null });
      const nothing = await trellis.as(admin).v4.put(path, {}).expect(400);
      expect(nothing.body).toEqual({
        error: expect.stringMatching(/are missing, at least one parameter/) as string,
      });
      const deleted = await trellis.as(admin).v4.delete(path).expect(204);
      expect(deleted.text).toBe('');
      await trellis.as(admin).v4.delete(path).expect(404);
    });

    it('returns 409 for the last owner of a group', async () => {
      const owner = await trellis.factories.user();
      await trellis.factories.group(owner);
      await trellis
        .as(admin)
        .v4.delete(`/users/${String(owner.user.id)}`)
        .expect(409);
    });
  });

  describe('blocking', () => {
    it('answers true, null the second time, and 403 for oneself', async () => {
      const { user } = await trellis.factories.user();
      const call = async (action: string, id = user.id) => {
        const answer = await trellis.as(admin).v4.post(`/users/${String(id)}/${action}`);
        return [answer.status, answer.body as unknown];
      };
      expect(await call('block')).toEqual([201, true]);
      expect(await call('block')).toEqual([201, null]);
      expect(await call('unblock')).toEqual([201, true]);
      expect(await call('unblock')).toEqual([201, null]);
      expect((await call('block', admin.user.id))[0]).toBe(403);
    });
  });

  describe('SSH keys', () => {
    it('are added, listed, read and removed', async () => {
      const client = trellis.as(person).v4;
      const key = newKey().trim();
      const made = await client.post('/user/keys', { title: 'Desk', key }).expect(201);
      const { id, created_at } = made.body as { id: number; created_at: string };
      const shown = {
        ...{ id, title: 'Desk', created_at, expires_at: null, key },
        usage_type: 'auth_and_signing',
      };
      expect(made.body).toEqual(shown);
      expect((await client.get('/user/keys').expect(200)).body).toEqual([shown]);
      expect((await client.get(`/user/keys/${String(id)}`).expect(200)).body).toEqual(shown);
      const old = await trellis
        .as(person)
        .get(`/user/keys/${String(id)}`)
        .expect(200);
      expect(old.body).toEqual({ id, title: 'Desk', created_at, key });
      const stranger = await trellis.factories.user();
      const of = `/users/${String(person.user.id)}/keys`;
      await trellis.as(stranger).v4.get(of).expect(403);
      expect((await trellis.as(admin).v4.get(of).expect(200)).body).toEqual([shown]);
      await client.delete(`/user/keys/${String(id)}`).expect(204);
      const absent = await client.delete(`/user/keys/${String(id)}`).expect(404);
      expect(absent.body).toEqual({ message: '404 Key Not Found' });
    });

    it('are listed and added for others by administrators only', async () => {
      const path = `/users/${String(person.user.id)}/keys`;
      const body = { title: 'By an administrator', key: newKey().trim() };
      await trellis.as(person).v4.post(path, body).expect(403);
      const made = await trellis.as(admin).v4.post(path, body).expect(201);
      const { id } = made.body as { id: number };
      await trellis
        .as(admin)
        .v4.delete(`${path}/${String(id)}`)
        .expect(204);
    });
  });

  describe('e-mail addresses', () => {
    it('are added, listed behind the primary one, read and removed', async () => {
      const someone = await trellis.factories.user();
      const client = trellis.as(someone).v4;
      const address = `second-${unique()}@example.com`;
      const made = await client.post('/user/emails', { email: address.toUpperCase() }).expect(201);
      const { id, confirmed_at } = made.body as { id: number; confirmed_at: string };
      const shown = { id, email: address, confirmed_at };
      expect(made.body).toEqual(shown);
      expect(Date.parse(confirmed_at)).toBeGreaterThan(0);
      const primary = {
        id: 0,
        email: someone.user.email,
        confirmed_at: someone.user.confirmedAt?.toISOString(),
      };
      const list = await client.get('/user/emails').expect(200);
      expect(list.body).toEqual([primary, shown]);
      const second = await client.get('/user/emails?per_page=1&page=2').expect(200);
      expect(second.body).toEqual([shown]);
      expect(second.headers).toMatchObject({ 'x-total': '2', 'x-next-page': '' });
      const one = `/user/emails/${String(id)}`;
      expect((await client.get(one).expect(200)).body).toEqual(shown);
      const old = await trellis.as(someone).get('/user/emails').expect(200);
      expect(old.body).toEqual([{ id, email: address }]);
      const taken = await trellis.as(person).v4.post('/user/emails', { email: address });
      expect([taken.status, taken.body]).toEqual([
        400,
        { message: { email: ['has already been taken'] } },
      ]);
      const missing = await client.post('/user/emails').expect(400);
      expect(missing.body).toEqual({ error: 'email is missing' });
      const malformed = await client.delete('/user/emails/ASDF').expect(400);
      expect(malformed.body).toEqual({ error: 'email_id is invalid' });
      await trellis.as(person).v4.delete(one).expect(404);
      await client.delete(one).expect(204, '');
      const absent = await client.delete(one).expect(404);
      expect(absent.body).toEqual({ message: '404 Email Not Found' });
      await client.delete('/user/emails/0').expect(404);
      await trellis.anonymous.v4.get('/user/emails').expect(401);
    });

    it('of others are for administrators', async () => {
      const someone = await trellis.factories.user();
      const path = `/users/${String(someone.user.id)}/emails`;
      const email = `third-${unique()}@example.com`;
      await trellis.as(someone).v4.get(path).expect(403);
      await trellis.as(someone).v4.post(path, { email }).expect(403);
      const client = trellis.as(admin).v4;
      const made = await client.post(path, { email, skip_confirmation: true }).expect(201);
      const { id } = made.body as { id: number };
      const list = await client.get(path).expect(200);
      expect(list.body).toMatchObject([
        { id: 0, email: someone.user.email },
        { id, email },
      ]);
      await trellis
        .as(someone)
        .v4.delete(`${path}/${String(id)}`)
        .expect(403);
      await client.delete(`${path}/${String(id)}`).expect(204);
      const unknown = await client.get('/users/2000000000/emails').expect(404);
      expect(unknown.body).toEqual({ message: '404 User Not Found' });
    });
  });
});
