import { type Person, unique } from '../../support/factories.js';
import { withOnlyAdministrators } from '../../support/only-administrators.js';
import { MALFORMED_USERS, REFUSED_USERS } from '../../support/refused-users.js';
import { Trellis } from '../../support/trellis.js';

interface UserBody {
  id: number;
}

const EMAIL_TAKEN = { message: 'Email has already been taken' };
const USERNAME_TAKEN = { message: 'Username has already been taken' };

const statusesOf = (answers: { status: number }[]) =>
  answers.map(({ status }) => status).sort((a, b) => a - b);

describe('PUT /users/:id', () => {
  let trellis: Trellis;
  let admin: Person;
  let person: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
    person = await trellis.factories.user();
  });

  const put = (who: Person, body: object) =>
    trellis.as(admin).put(`/users/${String(who.user.id)}`, body);

  it('checks for an administrator before parameters and the account', async () => {
    await trellis.anonymous.put('/users/1', { name: 'x' }).expect(401);
    await trellis.as(person).put('/users/999999').expect(403);
  });

  it('requires at least one parameter, well-formed, and an existing account', async () => {
    const none = await put(person, { nothing: 'of this' }).expect(400);
    expect(none.body).toEqual({
      error:
        'email, username, name, password, messenger, professional_profile, microblog, website_url, ' +
        'organization, projects_limit, extern_uid, provider, bio, location, admin, ' +
        'can_create_group, external are missing, at least one parameter must be provided',
    });
    for (const [body, error] of MALFORMED_USERS) {
      expect((await put(person, body).expect(400)).body).toEqual({ error });
    }
    for (const id of ['999999', '99999999999']) {
      const answer = await trellis.as(admin).put(`/users/${id}`, { name: ' ' }).expect(404);
      expect(answer.body).toEqual({ message: '404 User Not Found' });
    }
    const noRoute = await trellis.as(admin).put('/users/zoe', { name: 'x' }).expect(404);
    expect(noRoute.body).toEqual({ error: '404 Not Found' });
  });

  it('returns errors by field, and changes nothing', async () => {
    const read = () => trellis.rows('SELECT * FROM users WHERE id = $1', [person.user.id]);
    const before = await read();
    for (const [body, message] of REFUSED_USERS) {
      expect((await put(person, { location: 'Oslo', ...body }).expect(400)).body).toEqual({
        message,
      });
    }
    expect(await read()).toEqual(before);
  });

  it('updates the given fields, and keeps the rest and the token', async () => {
    const changed = await trellis.factories.user({ bio: 'Old', location: 'Old', messenger: 'Old' });
    const email = `${unique()}@example.com`;
    const answer = await put(changed, {
      email: email.toUpperCase(),
      name: '<b>New</b> name',
      password: 'another password',
      bio: null,
      location: 'New',
      twitter: '<i>micro</i>',
      linkedin: 'profile',
      website_url: 'https://example.com',
      organization: 'Org',
      projects_limit: 0,
      admin: true,
      can_create_group: false,
      provider: 'saml',
      extern_uid: email,
    }).expect(200);
    expect(answer.body).toEqual({
      id: changed.user.id,
      name: 'New name',
      username: changed.user.username,
      state: 'active',
      avatar_url: expect.any(String),
      web_url: `${trellis.url}/${changed.user.username}`,
      created_at: changed.user.createdAt.toISOString(),
      is_admin: true,
      bio: null,
      location: 'New',
      messenger: 'Old',
      professional_profile: 'profile',
      microblog: 'micro',
      website_url: 'https://example.com',
      organization: 'Org',
      email,
      last_sign_in_at: null,
      confirmed_at: expect.any(String),
      current_sign_in_at: null,
      theme_id: 2,
      color_scheme_id: 1,
      projects_limit: 0,
      identities: [{ provider: 'saml', extern_uid: email }],
      can_create_group: false,
      can_create_project: false,
      two_factor_enabled: false,
      external: false,
    });
    const old = { login: changed.user.username, password: changed.password };
    await trellis.anonymous.post('/session', old).expect(401);
    const renewed = { login: email, password: 'another password' };
    const session = await trellis.anonymous.post('/session', renewed).expect(200);
    expect(session.body).toMatchObject({ private_token: changed.token });
    await trellis.as(changed).get('/user').expect(200);
  });

  it('keeps one identity for each provider', async () => {
    const known = await trellis.factories.user();
    const uid = unique();
    await put(known, { provider: 'saml', extern_uid: `${uid}-old` }).expect(200);
    await put(known, { provider: 'saml', extern_uid: uid }).expect(200);
    const answer = await put(known, { provider: 'github', extern_uid: uid }).expect(200);
    expect(answer.body).toMatchObject({
      identities: [
        { provider: 'github', extern_uid: uid },
        { provider: 'saml', extern_uid: uid },
      ],
    });
    const taken = await put(person, { provider: 'saml', extern_uid: uid }).expect(400);
    expect(taken.body).toEqual({ message: { extern_uid: ['has already been taken'] } });
  });

  it('renames the personal namespace with the account', async () => {
    const renamed = await trellis.factories.user();
    const project = await trellis.factories.project(renamed);
    const username = `Renamed-${unique()}`;
    await put(renamed, { username }).expect(200);
    expect(
      await trellis.rows('SELECT name, path FROM namespaces WHERE owner_id = $1', [
        renamed.user.id,
      ]),
    ).toEqual([{ name: username, path: username }]);
    const path = (name: string) => `/projects/${name}%2F${project.path}`;
    await trellis.as(renamed).get(path(renamed.user.username)).expect(404);
    const answer = await trellis.as(renamed).get(path(username)).expect(200);
    expect(answer.body).toMatchObject({ id: project.id });
    await put(renamed, { username: username.toLowerCase() }).expect(200);
    expect((await trellis.as(renamed).get('/user')).body).toMatchObject({
      username: username.toLowerCase(),
    });
  });

  it('returns 404 for a taken name or address', async () => {
    const other = await trellis.factories.user();
    const group = await trellis.factories.group(other);
    const cases: [object, object][] = [
      [{ email: other.user.email.toUpperCase() }, EMAIL_TAKEN],
      [{ username: other.user.username.toUpperCase() }, USERNAME_TAKEN],
      [{ username: group.path }, USERNAME_TAKEN],
    ];
    for (const [body, refusal] of cases) {
      const answer = await put(person, { location: 'Elsewhere', ...body }).expect(404);
      expect(answer.body).toEqual(refusal);
    }
    const unchanged = await trellis.as(person).get('/user').expect(200);
    expect(unchanged.body).toMatchObject({ email: person.user.email, location: null });
    const { email, username } = person.user;
    await put(person, { email, username }).expect(200);
  });

  it('swaps the primary address with a secondary one of the account', async () => {
    const owner = await trellis.factories.user();
    const primary = owner.user.email;
    const second = `second-${primary}`;
    const added = await trellis.as(owner).post('/user/emails', { email: second }).expect(201);
    expect((await put(owner, { email: second }).expect(200)).body).toMatchObject({ email: second });
    const emails = await trellis.as(owner).get('/user/emails').expect(200);
    expect(emails.body).toEqual([{ id: (added.body as UserBody).id, email: primary }]);
  });

  it('takes over the secondary address of another account, not its primary one', async () => {
    const [owner, other] = [await trellis.factories.user(), await trellis.factories.user()];
    const email = `taken-over-${unique()}@example.com`;
    await trellis.as(other).post('/user/emails', { email }).expect(201);
    expect((await put(owner, { email }).expect(200)).body).toMatchObject({ email });
    expect((await trellis.as(other).get('/user/emails').expect(200)).body).toEqual([]);
    const taken = await put(owner, { email: other.user.email }).expect(404);
    expect(taken.body).toEqual(EMAIL_TAKEN);
  });

  it('assigns a name or address once for concurrent requests', async () => {
    const people = await Promise.all(Array.from({ length: 4 }, () => trellis.factories.user()));
    const email = `${unique()}@example.com`;
    const byEmail = await Promise.all(people.map((who) => put(who, { email })));
    expect(statusesOf(byEmail)).toEqual([200, 404, 404, 404]);
    expect(byEmail.find(({ status }) => status === 404)?.body).toEqual(EMAIL_TAKEN);
    const username = `wanted-${unique()}`;
    const byName = await Promise.all(people.map((who) => put(who, { username })));
    expect(statusesOf(byName)).toEqual([200, 404, 404, 404]);
    expect(byName.find(({ status }) => status === 404)?.body).toEqual(USERNAME_TAKEN);
  });

  it('removes quota and groups from external accounts', async () => {
    const outside = await trellis.factories.user();
    const made = await put(outside, { external: true, projects_limit: 5 }).expect(200);
    const nothing = { external: true, projects_limit: 0, can_create_group: false };
    expect(made.body).toMatchObject(nothing);
    const again = await put(outside, { projects_limit: 5, can_create_group: true }).expect(200);
    expect(again.body).toMatchObject(nothing);
    const inside = { external: false, projects_limit: 5, can_create_group: true };
    expect((await put(outside, inside).expect(200)).body).toMatchObject(inside);
  });

  it('keeps one administrator under concurrent demotions', async () => {
    const [first, second] = [await trellis.factories.admin(), await trellis.factories.admin()];
    const demote = (by: Person, who: Person) =>
      trellis.as(by).put(`/users/${String(who.user.id)}`, { admin: false });
    await withOnlyAdministrators(trellis, [first, second], async () => {
      const answers = await Promise.all([demote(first, second), demote(second, first)]);
      expect(answers.map(({ status }) => status)).toContain(200);
      const left = await trellis.rows<{ id: number }>('SELECT id FROM users WHERE admin');
      expect(left).toHaveLength(1);
      const last = left[0]?.id === first.user.id ? first : second;
      const refused = await demote(last, last).expect(400);
      expect(refused.body).toEqual({
        message: { admin: ['cannot be removed from the last administrator'] },
      });
    });
  });
});
