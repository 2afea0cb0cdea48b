import { hash } from 'node:crypto';
import type { MadeGroup, MadeProject, Person } from '../../support/factories.js';
import { newKey } from '../../support/public-keys.js';
import { Trellis } from '../../support/trellis.js';
import { basicUser } from '../../support/v4-bodies.js';

jest.setTimeout(180_000);

describe('people and numbers of version 4', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;
  let member: Person;
  let group: MadeGroup;
  let project: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    const { factories } = trellis;
    admin = await factories.admin();
    owner = await factories.user();
    member = await factories.user();
    group = await factories.group(owner);
    project = await factories.project(owner);
    await factories.addToProject(project, member, 30);
    await factories.addToGroup(group, member, 20);
  });

  const v4 = (person: Person) => trellis.as(person).v4;
  /** Refuses strangers and users who are no administrators. */
  const forAdministrators = async (path: string) => {
    await trellis.anonymous.v4.get(path).expect(401);
    await v4(owner).get(path).expect(403);
  };

  it('list the direct memberships of a user, for administrators', async () => {
    const path = `/users/${String(member.user.id)}/memberships`;
    await forAdministrators(path);
    const expired = await trellis.factories.project(owner);
    await trellis.factories.addToProject(expired, member, 30, '2000-01-01');
    const ofProject = {
      source_id: project.id,
      source_name: expect.any(String) as string,
      source_type: 'Project',
      access_level: 30,
    };
    const { body } = await v4(admin).get(path).expect(200);
    expect(body).toEqual([ofProject, expect.objectContaining({ source_id: group.id })]);
    expect(body).toMatchObject([{}, { source_type: 'Namespace', access_level: 20 }]);
    const typed = await v4(admin).get(`${path}?type=Project`).expect(200);
    expect(typed.body).toEqual([ofProject]);
    const paged = await v4(admin).get(`${path}?per_page=1&page=2`).expect(200);
    expect(paged.body).toMatchObject([{ source_id: group.id }]);
    expect(paged.headers).toMatchObject({ 'x-total': '2' });
    await v4(admin).get(`${path}?type=Other`).expect(400);
    const unknown = await v4(admin).get('/users/999999/memberships').expect(404);
    expect(unknown.body).toEqual({ message: '404 User Not Found' });
  });

  it('list the users of a project', async () => {
    const path = `/projects/${String(project.id)}/users`;
    const { body } = await v4(member).get(path).expect(200);
    expect(body).toEqual([basicUser(member, trellis.url), basicUser(owner, trellis.url)]);
    const found = await v4(owner).get(`${path}?search=${member.user.username}`).expect(200);
    expect(found.body).toMatchObject([{ id: member.user.id }]);
    const stranger = await trellis.factories.user();
    await v4(stranger).get(path).expect(404);
    await trellis.anonymous.v4.get(path).expect(401);
  });

  it('find SSH keys by ID and fingerprint, for administrators', async () => {
    const key = newKey();
    const { body: made } = await v4(member).post('/user/keys', { title: 'k', key }).expect(201);
    const { id } = made as { id: number };
    const [row] = await trellis.rows<{ fingerprint: string }>(
      'SELECT fingerprint FROM ssh_keys WHERE id = $1',
      [id],
    );
    const { fingerprint = '' } = row ?? {};
    const digest = hash('sha256', Buffer.from(key.split(' ')[1] ?? '', 'base64'), 'base64');
    const sha256 = `SHA256:${digest.replace('=', '')}`;
    await forAdministrators(`/keys/${String(id)}`);
    await forAdministrators(`/keys?fingerprint=${fingerprint}`);
    const shown = { ...(made as object), user: expect.objectContaining({ id: member.user.id }) };
    for (const path of [
      `/keys/${String(id)}`,
      `/keys?fingerprint=${fingerprint}`,
      `/keys?fingerprint=MD5:${fingerprint.toUpperCase()}`,
      `/keys?fingerprint=${encodeURIComponent(sha256)}`,
    ]) {
      expect((await v4(admin).get(path).expect(200)).body).toEqual(shown);
    }
    const other = fingerprint.replace(/^../, fingerprint.startsWith('00') ? '01' : '00');
    const unlike = `/keys?fingerprint=SHA256:${'a'.repeat(43)}`;
    for (const path of ['/keys/999999', `/keys?fingerprint=${other}`, unlike]) {
      const unknown = await v4(admin).get(path).expect(404);
      expect(unknown.body).toEqual({ message: '404 Key Not Found' });
    }
    for (const path of ['/keys', '/keys?fingerprint=SHA256:abc']) {
      await v4(admin).get(path).expect(400);
    }
  });

  it('show the image of an e-mail address, whoever has it', async () => {
    const { v4: stranger } = trellis.anonymous;
    const { email } = owner.user;
    const { body: self } = await v4(owner).get('/user').expect(200);
    const { avatar_url: own } = self as { avatar_url: string };
    for (const address of [email, email.toUpperCase()]) {
      const { body } = await stranger
        .get(`/avatar?email=${encodeURIComponent(address)}`)
        .expect(200);
      expect(body).toEqual({ avatar_url: own });
    }
    const unknown = await stranger.get('/avatar?email=nobody@example.com&size=16').expect(200);
    const digest = hash('md5', 'nobody@example.com');
    expect(unknown.body).toEqual({
      avatar_url: `https://secure.gravatar.com/avatar/${digest}?s=32&d=identicon`,
    });
    for (const query of ['', '?email=', '?email=a@b.c&size=0', '?email=a@b.c&size=9999']) {
      await stranger.get(`/avatar${query}`).expect(400);
    }
  });

  it('count what the instance has, for administrators', async () => {
    await forAdministrators('/application/statistics');
    const read = async () =>
      (await v4(admin).get('/application/statistics').expect(200)).body as Record<string, string>;
    const before = await read();
    for (const value of Object.values(before)) expect(value).toMatch(/^\d{1,3}(,\d{3})*$/);
    await trellis.factories.project(owner);
    const after = await read();
    const number = (text = '') => Number(text.replaceAll(',', ''));
    expect(number(after['projects'])).toBe(number(before['projects']) + 1);
    expect(after['snippets']).toBe('0');
  });
});
