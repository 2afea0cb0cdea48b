import type { Response } from 'supertest';
import { type Person, unique } from '../../support/factories.js';
import { PLAIN_ACCOUNT } from '../../support/summaries.js';
import { Trellis } from '../../support/trellis.js';

interface UserBody {
  id: number;
}

const idsOf = ({ body }: Response) => (body as UserBody[]).map(({ id }) => id);

describe('GET /users', () => {
  let trellis: Trellis;
  let admin: Person;
  let person: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
    person = await trellis.factories.user();
  });

  const list = async (query: string, reader = person) =>
    idsOf(await trellis.as(reader).get(`/users?${query}`).expect(200));

  it('requires a credential and well-formed parameters', async () => {
    await trellis.anonymous.get('/users').expect(401);
    const cases = [
      ['page=first', 'page is invalid'],
      ['search[]=a', 'search is invalid'],
      ['username[x]=a', 'username is invalid'],
      ['search=a%00b', 'search is invalid'],
    ];
    for (const [query, error] of cases) {
      const answer = await trellis
        .as(person)
        .get(`/users?${String(query)}`)
        .expect(400);
      expect(answer.body).toEqual({ error });
    }
  });

  it('returns the summary to users and all fields to administrators', async () => {
    const { user } = person;
    const summary = {
      id: user.id,
      name: user.name,
      username: user.username,
      state: 'active',
      avatar_url: expect.stringContaining('gravatar.com/avatar/'),
      web_url: `${trellis.url}/${user.username}`,
    };
    const query = `/users?username=${user.username}`;
    expect((await trellis.as(person).get(query).expect(200)).body).toEqual([summary]);
    expect((await trellis.as(admin).get(query).expect(200)).body).toEqual([
      {
        ...summary,
        created_at: user.createdAt.toISOString(),
        ...PLAIN_ACCOUNT,
        email: user.email,
        confirmed_at: expect.any(String),
      },
    ]);
  });

  it('lists newest first, in pages', async () => {
    const tag = unique();
    const ids: number[] = [];
    for (let made = 0; made < 3; made += 1) {
      const { user } = await trellis.factories.user({ username: `${tag}-${String(made)}` });
      ids.unshift(user.id);
    }
    expect(await list(`search=${tag}`)).toEqual(ids);
    const second = await trellis.as(person).get(`/users?search=${tag}&page=2&per_page=2`);
    expect(idsOf(second)).toEqual(ids.slice(2));
    expect(second.headers).toMatchObject({
      'x-total': '3',
      'x-total-pages': '2',
      'x-next-page': '',
      'x-prev-page': '1',
    });
    expect(await list(`search=${tag}&page=9`)).toEqual([]);
    const all = await list('per_page=100');
    expect(all.slice(0, 3)).toEqual(ids);
    expect(all).toEqual([...all].sort((a, b) => b - a));
  });

  it('searches user names and names, and e-mails for administrators only', async () => {
    const tag = unique();
    const byName = await trellis.factories.user({ name: `The ${tag.toUpperCase()} one` });
    const byUsername = await trellis.factories.user({ username: `x${tag}y` });
    const byEmail = await trellis.factories.user({ email: `${tag}@example.com` });
    expect(await list(`search=${tag}`)).toEqual([byUsername.user.id, byName.user.id]);
    expect(await list(`search=${tag}`, admin)).toEqual([
      byEmail.user.id,
      byUsername.user.id,
      byName.user.id,
    ]);
    expect(await list('search=%25', admin)).toEqual([]);
    expect(await list(`search=${tag[0] ?? ''}_${tag.slice(2)}`)).toEqual([]);
    expect(await list(encodeURI(`search='; DROP TABLE users; --`))).toEqual([]);
    expect(await list('search=')).not.toHaveLength(0);
  });

  it('finds one user name, case-insensitively and independent of other filters', async () => {
    const { id, username } = person.user;
    expect(await list(`username=${username.toUpperCase()}&blocked=true&search=nobody`)).toEqual([
      id,
    ]);
    expect(await list(`username=${username.slice(0, -1)}`)).toEqual([]);
    expect(await list('username=&search=nobody-at-all')).toEqual([]);
  });

  it('filters only on the value `true`', async () => {
    const tag = unique();
    const make = (input: object) =>
      trellis.factories.user({ username: `${tag}-${unique()}`, ...input });
    const active = (await make({})).user.id;
    const external = (await make({ external: true })).user.id;
    const blocked = (await make({})).user.id;
    await trellis.rows(`UPDATE users SET state = 'blocked' WHERE id = $1`, [blocked]);
    const everybody = [blocked, external, active];
    const expected: [string, number[], number[]][] = [
      ['active=true', [external, active], [external, active]],
      ['blocked=true', [blocked], [blocked]],
      ['external=true', everybody, [external]],
      ['active=true&external=true', [external, active], [external]],
      ['active=true&blocked=true', [], []],
      ['active=false&blocked=1&external=yes', everybody, everybody],
    ];
    for (const [query, forPerson, forAdmin] of expected) {
      expect(await list(`search=${tag}&${query}`)).toEqual(forPerson);
      expect(await list(`search=${tag}&${query}`, admin)).toEqual(forAdmin);
    }
  });

  it('shows the relations of each user', async () => {
    const tag = unique();
    const full = await trellis.factories.user({ username: `${tag}-a`, projectsLimit: 1 });
    await trellis.factories.project(full);
    const known = await trellis.factories.user({
      username: `${tag}-b`,
      projectsLimit: 1,
      identity: { provider: 'saml', externUid: tag },
    });
    const answer = await trellis.as(admin).get(`/users?search=${tag}`).expect(200);
    expect(answer.body).toMatchObject([
      {
        id: known.user.id,
        can_create_project: true,
        identities: [{ provider: 'saml', extern_uid: tag }],
      },
      { id: full.user.id, can_create_project: false, identities: [] },
    ]);
  });

  it('takes the same number of statements for one user as for twenty', async () => {
    const tag = unique();
    const measure = (reader: Person) =>
      trellis.statements.during(() => trellis.as(reader).get(`/users?search=${tag}`).expect(200));
    const add = (count: number) =>
      trellis.rows(
        `WITH added AS (
           INSERT INTO users (username, name, email, password_hash, private_token_digest,
                              private_token_sealed)
           SELECT name, name, name || '@example.com', '', md5(name) || md5(name || '!'), ''
             FROM (SELECT $1 || gen_random_uuid() AS name FROM generate_series(1, $2)) AS made
           RETURNING id, username)
         INSERT INTO identities (user_id, provider, extern_uid)
         SELECT id, 'saml', username FROM added`,
        [tag, count],
      );
    await add(1);
    const one = [await measure(person), await measure(admin)];
    await add(19);
    const twenty = [await measure(person), await measure(admin)];
    expect(twenty.map(({ length }) => length)).toEqual(one.map(({ length }) => length));
    expect(twenty.map(({ length }) => length)).toEqual([3, 4]);
  });
});

describe('GET /users/:id', () => {
  let trellis: Trellis;
  let admin: Person;
  let person: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared({ settings: { STATUS_PROFILE: 'gitlab' } });
    admin = await trellis.factories.admin();
    person = await trellis.factories.user();
  });
  afterAll(() => trellis.restore());

  it('requires a credential and a number', async () => {
    await trellis.anonymous.get(`/users/${String(person.user.id)}`).expect(401);
    for (const id of ['zoe', '1a', '-1', '%2e%2e', '1%20OR%201=1']) {
      const answer = await trellis.as(person).get(`/users/${id}`).expect(404);
      expect(answer.body).toEqual({ error: '404 Not Found' });
    }
    for (const id of ['0', '999999', '99999999999999999999']) {
      const answer = await trellis.as(person).get(`/users/${id}`).expect(404);
      expect(answer.body).toEqual({ message: '404 User Not Found' });
    }
  });

  it('returns the profile to users and all fields to administrators, with the older names', async () => {
    const profile = {
      bio: 'Writes',
      location: 'Oslo',
      messenger: 'm',
      professionalProfile: 'p',
      microblog: 'b',
      websiteUrl: 'https://example.com',
      organization: 'o',
    };
    const { user } = await trellis.factories.user({
      ...profile,
      identity: { provider: 'saml', externUid: unique() },
    });
    const shown = {
      id: user.id,
      name: user.name,
      username: user.username,
      state: 'active',
      avatar_url: expect.any(String),
      web_url: `${trellis.url}/${user.username}`,
      created_at: user.createdAt.toISOString(),
      is_admin: false,
      bio: 'Writes',
      location: 'Oslo',
      messenger: 'm',
      professional_profile: 'p',
      microblog: 'b',
      website_url: 'https://example.com',
      organization: 'o',
      skype: 'm',
      linkedin: 'p',
      twitter: 'b',
    };
    const path = `/users/${String(user.id)}`;
    expect((await trellis.as(person).get(path).expect(200)).body).toEqual(shown);
    const full = await trellis.as(admin).get(path).expect(200);
    expect(full.body).toMatchObject({ ...shown, email: user.email });
    expect(Object.keys(full.body as object)).toHaveLength(30);
  });

  it('shows no picture while the avatar service is off', async () => {
    await trellis.rows('UPDATE application_settings SET avatar_service_enabled = false');
    const answer = await trellis.as(person).get(`/users/${String(admin.user.id)}`);
    await trellis.rows('UPDATE application_settings SET avatar_service_enabled = true');
    expect(answer.body).toMatchObject({ avatar_url: null, is_admin: true });
  });
});
