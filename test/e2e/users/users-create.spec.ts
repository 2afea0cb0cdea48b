import { type Person, unique } from '../../support/factories.js';
import { MALFORMED_USERS, REFUSED_USERS } from '../../support/refused-users.js';
import { PLAIN_ACCOUNT } from '../../support/summaries.js';
import { Trellis } from '../../support/trellis.js';

interface UserBody {
  id: number;
}

const EMAIL_TAKEN = { message: 'Email has already been taken' };
const USERNAME_TAKEN = { message: 'Username has already been taken' };

/** Parameters of an account that nobody else has. */
const account = () => {
  const username = `new-${unique()}`;
  return { username, email: `${username}@example.com`, name: 'Somebody', password: 'long enough' };
};

const statusesOf = (answers: { status: number }[]) =>
  answers.map(({ status }) => status).sort((a, b) => a - b);

describe('POST /users', () => {
  let trellis: Trellis;
  let admin: Person;
  let person: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
    person = await trellis.factories.user();
  });

  /** The accounts that have an address, as primary or as secondary one. */
  const usersOf = async (email: string): Promise<number[]> => {
    const rows = await trellis.rows<{ id: number }>(
      'SELECT id FROM users WHERE email = $1 UNION ALL SELECT user_id FROM emails WHERE email = $1',
      [email],
    );
    return rows.map(({ id }) => id);
  };

  const post = (body: object) => trellis.as(admin).post('/users', { ...account(), ...body });

  it('checks for an administrator before parameters', async () => {
    await trellis.anonymous.post('/users', account()).expect(401);
    const answer = await trellis.as(person).post('/users').expect(403);
    expect(answer.body).toEqual({ message: '403 Forbidden' });
  });

  it('returns 400 for missing and malformed parameters', async () => {
    const none = await trellis.as(admin).post('/users').expect(400);
    expect(none.body).toEqual({
      error: 'email is missing, password is missing, username is missing, name is missing',
    });
    const some = await trellis.as(admin).post('/users', { username: 'x', name: 'x' }).expect(400);
    expect(some.body).toEqual({ error: 'email is missing, password is missing' });
    for (const [body, error] of MALFORMED_USERS) {
      expect((await post(body).expect(400)).body).toEqual({ error });
    }
  });

  it('returns errors by field', async () => {
    const before = await trellis.rows('SELECT id FROM users');
    for (const [body, message] of REFUSED_USERS) {
      expect((await post(body).expect(400)).body).toEqual({ message });
    }
    expect(await trellis.rows('SELECT id FROM users')).toEqual(before);
  });

  it('creates an account with its personal namespace, from the required parameters', async () => {
    const given = account();
    const answer = await post({ ...given, email: given.email.toUpperCase() }).expect(200);
    const { id } = answer.body as UserBody;
    expect(answer.body).toEqual({
      id,
      name: 'Somebody',
      username: given.username,
      state: 'active',
      avatar_url: expect.any(String),
      web_url: `${trellis.url}/${given.username}`,
      created_at: expect.any(String),
      ...PLAIN_ACCOUNT,
      email: given.email,
      confirmed_at: expect.any(String),
    });
    expect(
      await trellis.rows(
        'SELECT name, path, visibility_level FROM namespaces WHERE owner_id = $1',
        [id],
      ),
    ).toEqual([{ name: given.username, path: given.username, visibility_level: 20 }]);
    const credentials = { login: given.username, password: given.password };
    const session = await trellis.anonymous.post('/session', credentials).expect(200);
    const { private_token: token } = session.body as { private_token: string };
    expect(token).toMatch(/^[\w-]{20}$/);
    await trellis.as({ token }).get('/user').expect(200);
  });

  it('accepts every parameter, by its older name too, and stores no HTML', async () => {
    const given = {
      name: '<i>Zoë</i> <script>x</script>',
      skype: '<b>messenger</b>',
      linkedin: 'profile',
      microblog: '<a href="x">micro</a>blog',
      twitter: 'not this one',
      website_url: 'https://example.com/?a=<b>',
      organization: 'Org',
      bio: 'Bio <3',
      location: 'Oslo',
      provider: 'saml',
      extern_uid: unique(),
      projects_limit: '3',
      admin: 'true',
      can_create_group: '0',
      confirm: false,
      external: 'no',
    };
    const answer = await post(given).expect(200);
    expect(answer.body).toMatchObject({
      name: 'Zoë x',
      messenger: 'messenger',
      professional_profile: 'profile',
      microblog: 'microblog',
      website_url: given.website_url,
      organization: 'Org',
      bio: 'Bio <3',
      location: 'Oslo',
      identities: [{ provider: 'saml', extern_uid: given.extern_uid }],
      projects_limit: 3,
      is_admin: true,
      can_create_group: false,
      confirmed_at: expect.any(String),
      external: false,
    });
  });

  it('gives external accounts neither quota nor groups', async () => {
    const answer = await post({ external: true, projects_limit: 7, can_create_group: true });
    expect(answer.body).toMatchObject({
      external: true,
      projects_limit: 0,
      can_create_group: false,
      can_create_project: false,
    });
  });

  it('uses the default quota of the settings, and accepts form fields as well as JSON', async () => {
    await trellis.rows('UPDATE application_settings SET default_projects_limit = 4');
    const answer = await trellis.as(admin).call('post', '/users').type('form').send(account());
    await trellis.rows('UPDATE application_settings SET default_projects_limit = 10');
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ projects_limit: 4 });
  });

  it('respects the domain lists of the settings', async () => {
    const setLists = (lists: string) => trellis.rows(`UPDATE application_settings SET ${lists}`);
    const refusalOf = async (domain: string) => {
      const answer = await post({ email: `${unique()}@${domain}` });
      return answer.status === 200 ? null : (answer.body as { message: unknown }).message;
    };
    const unauthorized = { email: ['domain is not authorized for sign-up'] };
    const blacklisted = { email: ['is not from an allowed domain.'] };
    try {
      await setLists(`domain_blacklist = '{bad.test,*.BAD.test}'`);
      expect(await refusalOf('bad.test')).toBeNull();
      await setLists('domain_blacklist_enabled = true');
      expect(await refusalOf('BAD.test')).toEqual(blacklisted);
      expect(await refusalOf('very.bad.test')).toEqual(blacklisted);
      expect(await refusalOf('notbad.test')).toBeNull();
      await setLists(`domain_whitelist = '{good.test,bad.test}'`);
      expect(await refusalOf('bad.test')).toBeNull();
      expect(await refusalOf('other.test')).toEqual(unauthorized);
    } finally {
      await setLists(`domain_whitelist = NULL, domain_blacklist_enabled = false,
                      domain_blacklist = '{}'`);
    }
  });

  it('returns 409 for a taken name or address', async () => {
    const taken = person.user;
    const email = taken.email.toUpperCase();
    const username = taken.username.toUpperCase();
    expect((await post({ email }).expect(409)).body).toEqual(EMAIL_TAKEN);
    expect((await post({ username }).expect(409)).body).toEqual(USERNAME_TAKEN);
    expect((await post({ username, email }).expect(409)).body).toEqual(EMAIL_TAKEN);
    const group = await trellis.factories.group(person, { path: `Group-${unique()}` });
    const asGroup = { username: group.path.toLowerCase() };
    expect((await post(asGroup).expect(409)).body).toEqual(USERNAME_TAKEN);
    const identity = { provider: 'p', extern_uid: unique() };
    await post(identity).expect(200);
    expect((await post(identity).expect(400)).body).toEqual({
      message: { extern_uid: ['has already been taken'] },
    });
    await post({ ...identity, provider: 'another' }).expect(200);
  });

  it('assigns a user name once for concurrent requests', async () => {
    const username = `wanted-${unique()}`;
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        post({ username: index % 2 === 0 ? username : username.toUpperCase() }),
      ),
    );
    expect(statusesOf(answers)).toEqual([200, 409, 409, 409, 409, 409]);
    for (const refused of answers.filter(({ status }) => status === 409)) {
      expect(refused.body).toEqual(USERNAME_TAKEN);
    }
  });

  it('takes over the secondary address of another account', async () => {
    const email = `wanted-${unique()}@example.com`;
    const { body } = await trellis.as(person).post('/user/emails', { email }).expect(201);
    const created = await post({ email: email.toUpperCase() });
    expect(created.status).toBe(200);
    expect(await usersOf(email)).toEqual([(created.body as UserBody).id]);
    const { id } = body as { id: number };
    const audited = await trellis.rows(
      `SELECT details FROM audit_events WHERE action = 'email.removed' AND target_id = $1`,
      [id],
    );
    expect(audited).toEqual([{ details: { user_id: person.user.id } }]);
    expect((await post({ email })).status).toBe(409);
  });

  it('assigns an address once, as a primary or as a secondary one', async () => {
    const email = `wanted-${unique()}@example.com`;
    const [primary, secondary] = await Promise.all([
      Promise.all(Array.from({ length: 3 }, () => post({ email }))),
      Promise.all(
        Array.from({ length: 3 }, () => trellis.as(person).post('/user/emails', { email })),
      ),
    ]);
    const [created] = primary.filter(({ status }) => status === 200);
    expect(await usersOf(email)).toEqual([(created?.body as UserBody).id]);
    for (const { status, body } of primary.filter(({ status }) => status !== 200)) {
      expect({ status, body: body as unknown }).toEqual({ status: 409, body: EMAIL_TAKEN });
    }
    for (const { status, body } of secondary.filter(({ status }) => status !== 201)) {
      expect({ status, body: body as unknown }).toEqual({
        status: 400,
        body: { message: { email: ['has already been taken'] } },
      });
    }
  });
});
