import { generateKeyPairSync } from 'node:crypto';
import sshpk from 'sshpk';
import { UsersRepository } from '../../../src/modules/users/index.js';
import { type Person, unique } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

interface UserBody {
  id: number;
}

const pathOf = ({ user }: Person) => `/users/${String(user.id)}`;

describe('DELETE /users/:id', () => {
  let trellis: Trellis;
  let admin: Person;
  let person: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
    person = await trellis.factories.user();
  });

  const remove = (who: Person, by = admin) => trellis.as(by).delete(pathOf(who));
  const isThere = async (who: Person) => (await trellis.as(admin).get(pathOf(who))).status === 200;

  it('requires an administrator and a number', async () => {
    await trellis.anonymous.delete(pathOf(person)).expect(401);
    await remove(admin, person).expect(403);
    await remove(person, person).expect(403);
    const noRoute = await trellis.as(admin).delete('/users/zoe').expect(404);
    expect(noRoute.body).toEqual({ error: '404 Not Found' });
  });

  it('returns an empty body, and changes nothing, where deletion is refused', async () => {
    const owner = await trellis.factories.user();
    const group = await trellis.factories.group(owner);
    const second = await trellis.factories.user();
    await trellis.factories.addToGroup(group, second, 40);
    const paths = [pathOf(admin), pathOf(owner), '/users/999999', '/users/99999999999'];
    for (const path of paths) {
      const answer = await trellis.as(admin).delete(path).expect(200);
      expect(answer.text).toBe('');
      expect(answer.headers['content-length']).toBe('0');
    }
    expect(await isThere(owner)).toBe(true);
    await trellis.rows('UPDATE group_members SET access_level = 50 WHERE user_id = $1', [
      second.user.id,
    ]);
    expect((await remove(owner).expect(200)).body).toMatchObject({ id: owner.user.id });
    expect((await remove(second).expect(200)).text).toBe('');
  });

  it('returns the account in its former state and revokes its access at once', async () => {
    const gone = await trellis.factories.user({
      identity: { provider: 'saml', externUid: unique() },
    });
    const project = await trellis.factories.project(gone, { visibilityLevel: 20 });
    const shown = await trellis.as(admin).get(pathOf(gone)).expect(200);
    expect((await remove(gone).expect(200)).body).toEqual(shown.body);
    const { id, username } = gone.user;
    expect((await remove(gone).expect(200)).text).toBe('');
    await trellis.as(gone).get('/user').expect(401);
    await trellis.anonymous
      .post('/session', { login: username, password: gone.password })
      .expect(401);
    const git = await fetch(
      `${trellis.url}/${project.fullPath}.git/info/refs?service=git-upload-pack`,
      {
        headers: {
          Authorization: `Basic ${Buffer.from(`${username}:${gone.token}`).toString('base64')}`,
        },
      },
    );
    expect(git.status).toBe(401);
    await trellis.as(admin).get(pathOf(gone)).expect(404);
    await trellis.as(admin).put(pathOf(gone), { name: 'x' }).expect(404);
    await trellis
      .as(admin)
      .put(`${pathOf(gone)}/block`)
      .expect(404);
    await trellis.as(admin).get(`/user?sudo=${username}`).expect(404);
    await trellis
      .as(admin)
      .get(`/user?sudo=${String(id)}`)
      .expect(404);
    const listed = await trellis.as(admin).get(`/users?username=${username}`).expect(200);
    expect(listed.body).toEqual([]);
    await trellis
      .as(admin)
      .get(`/projects/${String(project.id)}`)
      .expect(404);
    for (const table of ['ssh_keys', 'emails', 'identities']) {
      expect(await trellis.rows(`SELECT 1 FROM ${table} WHERE user_id = $1`, [id])).toEqual([]);
    }
    expect(
      await trellis.rows(
        `SELECT payload FROM outbox WHERE name = 'erase-account'
          AND (payload->>'userId')::int = $1`,
        [id],
      ),
    ).toEqual([{ payload: { userId: id } }]);
  });

  it('frees name, addresses, keys and namespace at once', async () => {
    const gone = await trellis.factories.user();
    const second = `second-${gone.user.email}`;
    await trellis.as(gone).post('/user/emails', { email: second }).expect(201);
    const pem = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' });
    const key = { title: 'Mine', key: sshpk.parseKey(pem, 'pem').toString('ssh') };
    await trellis.as(gone).post('/user/keys', key).expect(201);
    await remove(gone).expect(200);
    const { username, email } = gone.user;
    const again = { username, email, name: 'Again', password: 'long enough' };
    const made = await trellis.as(admin).post('/users', again).expect(200);
    expect((made.body as UserBody).id).not.toBe(gone.user.id);
    await trellis.as(person).post('/user/emails', { email: second }).expect(201);
    await trellis.as(person).post('/user/keys', key).expect(201);
  });

  it('leaves no address that is added concurrently', async () => {
    for (let round = 0; round < 5; round += 1) {
      const gone = await trellis.factories.user();
      const email = `${unique()}@example.com`;
      await Promise.all([remove(gone), trellis.as(gone).post('/user/emails', { email })]);
      await trellis.as(person).post('/user/emails', { email }).expect(201);
    }
  });

  it('removes an account once for concurrent requests', async () => {
    const gone = await trellis.factories.user();
    const answers = await Promise.all([1, 2, 3, 4].map(() => remove(gone)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers.filter(({ text }) => text !== '')).toHaveLength(1);
  });

  it('refuses the last owner of a group and the last administrator', async () => {
    const owners = [await trellis.factories.user(), await trellis.factories.user()] as const;
    const group = await trellis.factories.group(owners[0]);
    await trellis.factories.addToGroup(group, owners[1], 50);
    const removals = await Promise.all(owners.map((owner) => remove(owner)));
    expect(removals.filter(({ text }) => text !== '')).toHaveLength(1);
    const second = await trellis.factories.admin();
    await trellis.rows('UPDATE users SET admin = (id = ANY($1))', [
      [admin.user.id, second.user.id],
    ]);
    await Promise.all([remove(admin, second), remove(second, admin)]);
    const left = await trellis.rows<{ id: number }>(
      'SELECT id FROM users WHERE admin AND deleted_at IS NULL',
    );
    expect(left).toHaveLength(1);
    if (left[0]?.id === second.user.id) admin = second;
  });
});

describe('The ghost account', () => {
  let trellis: Trellis;
  let admin: Person;
  let person: Person;

  beforeAll(async () => {
    trellis = await Trellis.start({ because: 'state of the instance' });
    admin = await trellis.factories.admin();
    person = await trellis.factories.user();
  });
  afterAll(() => trellis.stop());

  it('is created once, on first need, also beside a user named Ghost', async () => {
    // As earlier versions allowed.
    const namesake = await trellis.factories.user();
    await trellis.rows(`UPDATE users SET username = 'Ghost' WHERE id = $1`, [namesake.user.id]);
    expect(await trellis.rows('SELECT 1 FROM users WHERE ghost')).toEqual([]);
    const people = await Promise.all([1, 2, 3].map(() => trellis.factories.user()));
    const answers = await Promise.all(people.map((who) => trellis.as(admin).delete(pathOf(who))));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const ghosts = await trellis.rows<UserBody>('SELECT id FROM users WHERE ghost');
    expect(ghosts).toHaveLength(1);
    const found = await trellis.as(person).get('/users?username=ghost').expect(200);
    expect((found.body as UserBody[]).map(({ id }) => id)).toEqual([namesake.user.id]);
  });

  it('is the author of all remaining content of deleted accounts', async () => {
    const gone = await trellis.factories.user();
    await trellis.as(admin).delete(pathOf(gone)).expect(200);
    const users = trellis.app.get(UsersRepository);
    const find = () => users.findAuthors([person.user.id, gone.user.id, 999_999, person.user.id]);
    const statements = await trellis.statements.during(find);
    expect(statements).toHaveLength(1);
    const authors = await find();
    expect([...authors].map(([id, { username }]) => [id, username])).toEqual([
      [person.user.id, person.user.username],
      [gone.user.id, 'ghost'],
      [999_999, 'ghost'],
    ]);
    expect(await users.findByIds([person.user.id, gone.user.id])).toHaveLength(1);
    expect(await users.findAuthors([])).toEqual(new Map());
  });

  it('can be read, but neither listed, changed, used nor deleted', async () => {
    const [ghost] = await trellis.rows<UserBody>('SELECT id FROM users WHERE ghost');
    const path = `/users/${String(ghost?.id)}`;
    const summary = {
      id: ghost?.id,
      name: 'Ghost User',
      username: 'ghost',
      state: 'blocked',
      avatar_url: null,
      web_url: `${trellis.url}/ghost`,
    };
    expect((await trellis.as(person).get(path).expect(200)).body).toMatchObject(summary);
    expect((await trellis.as(admin).get(path).expect(200)).body).toMatchObject({
      ...summary,
      email: '',
      projects_limit: 0,
    });
    const listed = await trellis.as(admin).get('/users?blocked=true').expect(200);
    expect(listed.body).toEqual([]);
    expect(await trellis.rows('SELECT 1 FROM namespaces WHERE owner_id = $1', [ghost?.id])).toEqual(
      [],
    );
    const asAdmin = trellis.as(admin);
    await asAdmin.put(path, { name: 'x' }).expect(404);
    await asAdmin.put(`${path}/unblock`).expect(404);
    await asAdmin.get(`${path}/keys`).expect(404);
    await asAdmin.post(`${path}/emails`, { email: 'ghost@example.com' }).expect(404);
    await asAdmin.get(`/user?sudo=${String(ghost?.id)}`).expect(404);
    expect((await asAdmin.delete(path).expect(200)).text).toBe('');
    for (const password of ['!', '', 'ghost']) {
      await trellis.anonymous.post('/session', { email: '', login: 'ghost', password }).expect(401);
    }
  });
});
