import { type Person, unique } from '../../support/factories.js';
import { newKey } from '../../support/public-keys.js';
import { Trellis } from '../../support/trellis.js';

interface RecordBody {
  id: number;
}

interface Kind {
  name: string;
  record: string;
  idName: string;
  /** What a record is made of; another one each time. */
  given: () => object;
  /** What else it answers, besides its ID. */
  more: object;
}

const KINDS: Kind[] = [
  {
    name: 'emails',
    record: 'Email',
    idName: 'email_id',
    given: () => ({ email: `${unique()}@example.com` }),
    more: {},
  },
  {
    name: 'keys',
    record: 'Key',
    idName: 'key_id',
    given: () => ({ title: 'A key', key: newKey() }),
    more: { created_at: expect.any(String) as string },
  },
];

describe.each(KINDS)('the $name of accounts', ({ name, record, idName, given, more }) => {
  let trellis: Trellis;
  let admin: Person;
  let person: Person;
  let other: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
    person = await trellis.factories.user();
    other = await trellis.factories.user();
  });

  const own = `/user/${name}`;
  const pathOf = ({ user }: Person) => `/users/${String(user.id)}/${name}`;
  const missing = { message: `404 ${record} Not Found` };
  const add = async (who: Person, body = given()) =>
    (await trellis.as(who).post(own, body).expect(201)).body as RecordBody;

  it('require a credential, and an administrator for those of others', async () => {
    const theirs = pathOf(person);
    for (const path of [own, `${own}/1`, theirs]) await trellis.anonymous.get(path).expect(401);
    for (const path of [own, theirs]) await trellis.anonymous.post(path).expect(401);
    for (const path of [`${own}/1`, `${theirs}/1`]) {
      await trellis.anonymous.delete(path).expect(401);
    }
    await trellis.as(person).get(theirs).expect(403);
    await trellis.as(person).post(theirs).expect(403);
    await trellis.as(person).delete(`${theirs}/1`).expect(403);
    await trellis.as(person).get(`/users/999999/${name}`).expect(403);
  });

  it('are listed newest first, in pages', async () => {
    const owner = await trellis.factories.user();
    const all = [await add(owner), await add(owner), await add(owner)].reverse();
    for (const [path, reader] of [
      [own, owner],
      [pathOf(owner), admin],
    ] as const) {
      expect((await trellis.as(reader).get(path).expect(200)).body).toEqual(all);
      const second = await trellis.as(reader).get(`${path}?per_page=2&page=2`).expect(200);
      expect(second.body).toEqual(all.slice(2));
      expect(second.headers).toMatchObject({ 'x-total': '3', 'x-total-pages': '2' });
    }
  });

  it('are read and deleted only by their owner, and then free for others', async () => {
    const body = given();
    const made = await add(person, body);
    const path = `${own}/${String(made.id)}`;
    expect((await trellis.as(person).get(path).expect(200)).body).toEqual(made);
    for (const id of [String(made.id), '0', '999999', '99999999999']) {
      const answer = await trellis.as(other).get(`${own}/${id}`).expect(404);
      expect(answer.body).toEqual(missing);
      const kept = await trellis.as(other).delete(`${own}/${id}`).expect(200);
      expect(kept.text).toBe('');
      expect(kept.headers['content-length']).toBe('0');
    }
    for (const verb of ['get', 'delete'] as const) {
      const malformed = await trellis.as(other).call(verb, `${own}/first`).expect(400);
      expect(malformed.body).toEqual({ error: `${idName} is invalid` });
    }
    const removals = await Promise.all([1, 2, 3].map(() => trellis.as(person).delete(path)));
    expect(removals.map(({ status }) => status)).toEqual([200, 200, 200]);
    const answered = removals.filter(({ text }) => text !== '');
    expect(answered.map((answer) => answer.body as unknown)).toEqual([made]);
    await trellis.as(person).get(path).expect(404);
    await add(other, body);
  });

  it('are created, listed and deleted by administrators', async () => {
    const owner = await trellis.factories.user();
    const body = given();
    const added = await trellis.as(admin).post(pathOf(owner), body).expect(201);
    const made = added.body as RecordBody;
    expect(made).toEqual({ id: made.id, ...body, ...more });
    expect((await trellis.as(admin).get(pathOf(owner)).expect(200)).body).toEqual([made]);
    expect((await trellis.as(owner).get(own).expect(200)).body).toEqual([made]);
    const remove = (whose: Person) =>
      trellis.as(admin).delete(`${pathOf(whose)}/${String(made.id)}`);
    await remove(other).expect(404, missing);
    await remove(owner).expect(200, made);
    await remove(owner).expect(404, missing);
  });

  it('require an existing account', async () => {
    const asAdmin = trellis.as(admin);
    const nobodys = `/users/999999/${name}`;
    const noUser = { message: '404 User Not Found' };
    await asAdmin.get(nobodys).expect(404, noUser);
    await asAdmin.post(nobodys, given()).expect(404, noUser);
    await asAdmin.post(nobodys, { email: 'none', title: 'x', key: 'none' }).expect(404, noUser);
    await asAdmin.delete(`${nobodys}/1`).expect(404, noUser);
    const noRoute = { error: '404 Not Found' };
    await asAdmin.get(`/users/zoe/${name}`).expect(404, noRoute);
    await asAdmin.delete(`/users/zoe/${name}/1`).expect(404, noRoute);
  });
});
