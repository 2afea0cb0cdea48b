import { generateKeyPairSync } from 'node:crypto';
import sshpk from 'sshpk';
import type { Response } from 'supertest';
import { type Person, unique } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

type Body = Record<string, unknown>;

/** What the existing v3 clients insist on in answers, in the profile that is made for them. */
describe('answers in the gitlab profile', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;
  let other: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared({ settings: { STATUS_PROFILE: 'gitlab' } });
    admin = await trellis.factories.admin();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    other = await trellis.factories.user({ projectsLimit: 1000 });
  });
  afterAll(() => trellis.restore());

  const idOf = ({ body }: { body: unknown }): string => String((body as Body)['id']);
  const untimed = (body: unknown): string =>
    JSON.stringify(body).replace(/"updated_at":"[^"]*"/g, '');
  const newKey = (): string => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    return sshpk.parseKey(pem, 'pem').toString('ssh');
  };

  describe('creations', () => {
    it('answer 201 with the whole resource', async () => {
      const { username: login } = owner.user;
      const session = trellis.anonymous.post('/session', { login, password: owner.password });
      expect((await session.expect(201)).body).toMatchObject({ private_token: owner.token });

      const name = `made-${unique()}`;
      const project = await trellis.as(owner).post('/projects', { name }).expect(201);
      expect((await trellis.as(owner).get(`/projects/${idOf(project)}`)).body).toMatchObject({
        name,
        owner: { id: owner.user.id },
        namespace: { path: login },
      });
      const theirs = `/projects/user/${String(owner.user.id)}`;
      await trellis.as(admin).post(theirs, { name: unique() }).expect(201);

      const group = await trellis.as(owner).post('/groups', { name, path: name }).expect(201);
      const members = await trellis
        .as(owner)
        .get(`/groups/${idOf(group)}/members`)
        .expect(200);
      expect(members.body).toEqual([
        expect.objectContaining({ id: owner.user.id, access_level: 50 }),
      ]);
      const member = { user_id: other.user.id, access_level: 20 };
      await trellis.as(owner).post(`/groups/${name}/members`, member).expect(201);
      await trellis
        .as(owner)
        .post(`/projects/${idOf(project)}/members`, member)
        .expect(201);
      await trellis
        .as(admin)
        .post(`/groups/${name}/projects/${idOf(project)}`)
        .expect(201);

      const username = `user-${name}`;
      const email = `${username}@example.com`;
      const person = { name, username, email, password: 'long-enough' };
      await trellis.as(admin).post('/users', person).expect(201);
    });

    it('of keys and addresses answer 201', async () => {
      const users = `/users/${String(other.user.id)}`;
      const key = () => ({ title: 'Key', key: newKey() });
      await trellis.as(owner).post('/user/keys', key()).expect(201);
      await trellis.as(admin).post(`${users}/keys`, key()).expect(201);
      const email = () => ({ email: `${unique()}@example.com` });
      await trellis.as(owner).post('/user/emails', email()).expect(201);
      await trellis.as(admin).post(`${users}/emails`, email()).expect(201);
    });
  });

  describe('actions', () => {
    it('answer 201, and 304 when there is nothing to do', async () => {
      const made = await trellis.factories.project(owner);
      const path = `/projects/${String(made.id)}`;
      const asOwner = trellis.as(owner);
      expect((await asOwner.post(`${path}/star`).expect(201)).body).toMatchObject({
        star_count: 1,
      });
      expect((await asOwner.post(`${path}/star`).expect(304)).text).toBe('');
      expect((await asOwner.delete(`${path}/star`).expect(200)).body).toMatchObject({
        id: made.id,
        star_count: 0,
      });
      await asOwner.delete(`${path}/star`).expect(304);
      expect((await asOwner.post(`${path}/archive`).expect(201)).body).toMatchObject({
        archived: true,
      });
      await asOwner.post(`${path}/unarchive`).expect(201);
      const fork = await trellis
        .as(admin)
        .post(`/projects/fork/${String(made.id)}`)
        .expect(201);
      expect(fork.body).toMatchObject({ forked_from_project: { id: made.id } });
      const uploaded = await asOwner
        .call('post', `${path}/uploads`)
        .attach('file', Buffer.from('text'), 'notes.txt')
        .expect(201);
      expect(uploaded.body).toMatchObject({
        alt: expect.any(String),
        url: expect.stringMatching(/^\/uploads\/.*\/notes\.txt$/),
        markdown: expect.any(String),
      });
    });

    it('of sharing answer 201, and 204 when the share is removed', async () => {
      const made = await trellis.factories.project(owner);
      const group = await trellis.factories.group(owner);
      const path = `/projects/${String(made.id)}`;
      const share = { group_id: String(group.id), group_access: '30' };
      await trellis.as(owner).call('post', `${path}/share`).type('form').send(share).expect(201);
      const shown = await trellis.as(owner).get(path).expect(200);
      expect(shown.body).toMatchObject({ shared_with_groups: [{ group_id: group.id }] });
      const back = await trellis
        .as(owner)
        .delete(`${path}/share/${String(group.id)}`)
        .expect(204);
      expect(back.text).toBe('');
      expect(back.headers).not.toHaveProperty('content-type');
    });

    it('by PUT answer 200', async () => {
      const users = `/users/${String(other.user.id)}`;
      await trellis.as(admin).put(`${users}/block`).expect(200, 'true');
      await trellis.as(admin).put(`${users}/block`).expect(200, 'false');
      await trellis.as(admin).put(`${users}/unblock`).expect(200, 'true');
      const nothing = await trellis.as(owner).delete('/user/keys/2000000000').expect(200);
      expect(nothing.text).toBe('');
    });
  });

  describe('a resource that was read', () => {
    it('for a project can be sent back, where an old `public` yields to a new level', async () => {
      const made = await trellis.factories.project(owner, { visibilityLevel: 10 });
      const path = `/projects/${String(made.id)}`;
      const echo = (await trellis.as(owner).get(path).expect(200)).body as Body;
      const again = await trellis.as(owner).put(path, echo).expect(200);
      // Only what was read by somebody says what they may do.
      const { permissions: _, ...told } = echo;
      expect(untimed(again.body)).toBe(untimed(told));
      const opened = { ...echo, visibility_level: 20 };
      const changed = await trellis.as(owner).put(path, opened).expect(200);
      expect(changed.body).toMatchObject({ public: true, visibility_level: 20 });
      const hidden = await trellis.as(owner).put(path, { ...opened, visibility_level: 0 });
      expect(hidden.body).toMatchObject({ public: false, visibility_level: 0 });
      const alone = await trellis.as(owner).put(path, { public: 'true' }).expect(200);
      expect(alone.body).toMatchObject({ public: true, visibility_level: 20 });
    });

    it('for a project can be sent back by a master, who may not rename it', async () => {
      const made = await trellis.factories.project(owner);
      await trellis.factories.addToProject(made, other, 40);
      const path = `/projects/${String(made.id)}`;
      const echo = (await trellis.as(other).get(path).expect(200)).body as Body;
      const changes = { ...echo, description: 'by a master' };
      const changed = await trellis.as(other).put(path, changes).expect(200);
      expect(changed.body).toMatchObject({ description: 'by a master' });
      await trellis
        .as(other)
        .put(path, { ...changes, name: 'renamed' })
        .expect(403);
    });

    it('for a group, a member and a user can be sent back', async () => {
      const group = await trellis.factories.group(owner);
      await trellis.factories.project(owner, { namespaceId: group.id });
      await trellis.factories.addToGroup(group, other, 30);
      const paths = [
        [owner, `/groups/${String(group.id)}`],
        [owner, `/groups/${String(group.id)}/members/${String(other.user.id)}`],
        [admin, `/users/${String(other.user.id)}`],
      ] as const;
      for (const [person, path] of paths) {
        const echo = (await trellis.as(person).get(path).expect(200)).body as Body;
        await trellis.as(person).put(path, echo).expect(200);
        const after = await trellis.as(person).get(path).expect(200);
        expect(untimed(after.body)).toBe(untimed(echo));
      }
    });
  });

  describe('older names', () => {
    it('of the fields of users are read, and answered next to the newer ones', async () => {
      const path = `/users/${String(other.user.id)}`;
      const older = { skype: 'ada.s', linkedin: 'ada-l', twitter: 'ada_t' };
      const newer = { messenger: 'ada.s', professional_profile: 'ada-l', microblog: 'ada_t' };
      const changed = await trellis.as(admin).put(path, older).expect(200);
      expect(changed.body).toMatchObject({ ...older, ...newer });
      expect((await trellis.as(other).get('/user').expect(200)).body).toMatchObject(older);
      const both = { skype: 'old', messenger: 'new' };
      const overruled = await trellis.as(admin).put(path, both).expect(200);
      expect(overruled.body).toMatchObject({ skype: 'new', messenger: 'new' });
    });
  });

  describe('lists', () => {
    it('can be followed by their links, which keep filters and contain no bare comma', async () => {
      const tag = unique();
      const { id } = await trellis.factories.group(owner);
      for (let count = 0; count < 3; count += 1) {
        await trellis.factories.project(owner, {
          name: `walk ${tag},${String(count)}`.replace(',', '-'),
          namespaceId: id,
        });
      }
      const seen: string[] = [];
      let path: string | undefined =
        `/projects/owned?search=walk+${tag}&per_page=2&order_by=id&sort=asc`;
      while (path !== undefined) {
        const answer: Response = await trellis.as(owner).get(path).expect(200);
        seen.push(...(answer.body as Body[]).map(({ name }) => String(name)));
        const links = String(answer.headers['link']).split(',');
        const next = links
          .map((link) => /<([^>]+)>; rel="next"/.exec(link)?.[1])
          .find((link) => link !== undefined);
        expect(links.every((link) => /^\s*<[^<>]+>; rel="\w+"$/.test(link))).toBe(true);
        // The client adds its own parameters to the address again.
        path = next && `${next.replace(`${trellis.url}/api/v3`, '')}&per_page=2&search=walk+${tag}`;
      }
      expect(seen).toEqual([0, 1, 2].map((count) => `walk ${tag}-${String(count)}`));
    });

    it('have pages of exactly 100, and are empty beyond the end', async () => {
      for (const path of ['/projects', '/projects/owned', '/groups', '/users', '/user/keys']) {
        const full = await trellis.as(owner).get(`${path}?per_page=100`).expect(200);
        expect(full.headers['x-per-page']).toBe('100');
        await trellis.as(owner).get(`${path}?per_page=100&page=50`).expect(200, []);
      }
    });

    it('find projects of groups among the owned ones, and parts of names', async () => {
      const group = await trellis.factories.group(owner, { name: `find-${unique()}` });
      const made = await trellis.factories.project(owner, { namespaceId: group.id });
      const owned = await trellis.as(owner).get('/projects/owned?per_page=100').expect(200);
      expect((owned.body as Body[]).map(({ id }) => id)).toContain(made.id);
      const part = encodeURIComponent(group.name.slice(2, -2));
      const found = await trellis.as(owner).get(`/groups?search=${part}`).expect(200);
      expect((found.body as Body[]).map(({ id }) => id)).toEqual([group.id]);
      const name = owner.user.username.slice(2, -1);
      const people = await trellis.as(owner).get(`/users?search=${name}`).expect(200);
      expect((people.body as Body[]).map(({ id }) => id)).toEqual([owner.user.id]);
    });
  });

  it('reports errors as a text, or as lists of texts by field', async () => {
    const refusals = [
      await trellis.as(owner).post('/projects', { name: '-' }).expect(400),
      await trellis.as(owner).post('/groups', { name: 'x', path: 'a b' }).expect(400),
      await trellis.as(owner).post('/user/keys', { title: 'x', key: 'x' }).expect(400),
      await trellis.as(owner).get('/projects/2000000000').expect(404),
      await trellis.as(owner).get('/projects/all').expect(403),
    ];
    for (const { body, headers } of refusals) {
      expect(headers['content-type']).toMatch(/^application\/json/);
      const { message } = body as { message: unknown };
      const texts =
        typeof message === 'string'
          ? [[message]]
          : Object.values(message as Record<string, unknown>);
      expect(texts).not.toEqual([]);
      for (const list of texts) expect(list).toEqual(expect.arrayContaining([expect.any(String)]));
    }
  });
});
