import { type Person, unique } from '../support/factories.js';
import { Trellis } from '../support/trellis.js';

interface EmailBody {
  id: number;
  email: string;
}

const TAKEN = { message: { email: ['has already been taken'] } };
const address = () => `${unique()}@example.com`;

describe('E-mails', () => {
  let trellis: Trellis;
  let admin: Person;
  let person: Person;
  let other: Person;

  beforeAll(async () => {
    trellis = await Trellis.start();
    admin = await trellis.factories.admin();
    person = await trellis.factories.user();
    other = await trellis.factories.user();
  });
  afterAll(() => trellis.stop());

  const pathOf = ({ user }: Person) => `/users/${String(user.id)}/emails`;
  const add = async (who: Person, email = address()) =>
    (await trellis.as(who).post('/user/emails', { email }).expect(201)).body as EmailBody;

  it('take a credential, and an administrator for those of others', async () => {
    const own = pathOf(person);
    for (const path of ['/user/emails', '/user/emails/1', own]) {
      await trellis.anonymous.get(path).expect(401);
    }
    for (const path of ['/user/emails', own]) await trellis.anonymous.post(path).expect(401);
    for (const path of ['/user/emails/1', `${own}/1`]) {
      await trellis.anonymous.delete(path).expect(401);
    }
    await trellis.as(person).get(own).expect(403);
    await trellis.as(person).post(own).expect(403);
    await trellis.as(person).delete(`${own}/1`).expect(403);
  });

  it('are well-formed', async () => {
    const cases: [object, object][] = [
      [{}, { error: 'email is missing' }],
      [{ email: { a: 1 } }, { error: 'email is invalid' }],
      [{ email: 'a@b\0' }, { error: 'email is invalid' }],
      [{ email: ' ' }, { message: { email: ["can't be blank"] } }],
      [{ email: 'nobody' }, { message: { email: ['is invalid'] } }],
      [{ email: 'a@b@c' }, { message: { email: ['is invalid'] } }],
      [{ email: 'a b@c' }, { message: { email: ['is invalid'] } }],
      [{ email: 'a@b\nc' }, { message: { email: ['is invalid'] } }],
      [
        { email: `${'e'.repeat(250)}@b.org` },
        { message: { email: ['is too long (maximum is 255 characters)'] } },
      ],
    ];
    for (const [body, refusal] of cases) {
      expect((await trellis.as(person).post('/user/emails', body).expect(400)).body).toEqual(
        refusal,
      );
      expect((await trellis.as(admin).post(pathOf(person), body).expect(400)).body).toEqual(
        refusal,
      );
    }
  });

  it('are kept in lower case and listed newest first, in pages', async () => {
    const owner = await trellis.factories.user();
    const email = address();
    const made = await add(owner, email.toUpperCase());
    expect(made).toEqual({ id: made.id, email });
    const emails = [made, await add(owner), await add(owner)].reverse();
    expect((await trellis.as(owner).get('/user/emails').expect(200)).body).toEqual(emails);
    for (const path of ['/user/emails?per_page=2&page=2', `${pathOf(owner)}?per_page=2&page=2`]) {
      const reader = path.startsWith('/user/') ? owner : admin;
      const answer = await trellis.as(reader).get(path).expect(200);
      expect(answer.body).toEqual([made]);
      expect(answer.headers).toMatchObject({ 'x-total': '3', 'x-total-pages': '2' });
    }
  });

  it('are nobody else’s, neither as primary nor as secondary address', async () => {
    const { email } = await add(other);
    for (const taken of [email, email.toUpperCase(), other.user.email, person.user.email]) {
      const answer = await trellis.as(person).post('/user/emails', { email: taken }).expect(400);
      expect(answer.body).toEqual(TAKEN);
    }
  });

  it('are given once, however many ask at the same time', async () => {
    const email = address();
    const answers = await Promise.all([
      trellis.as(person).post('/user/emails', { email }),
      trellis.as(other).post('/user/emails', { email }),
      trellis.as(admin).post(pathOf(other), { email }),
      trellis.as(admin).post(pathOf(person), { email: email.toUpperCase() }),
    ]);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(3);
    for (const { status, body } of refused) {
      expect({ status, body: body as unknown }).toEqual({ status: 400, body: TAKEN });
    }
  });

  it('are read and removed by their owner alone', async () => {
    const made = await add(person);
    const path = `/user/emails/${String(made.id)}`;
    expect((await trellis.as(person).get(path).expect(200)).body).toEqual(made);
    for (const id of [String(made.id), '0', '99999999999']) {
      const answer = await trellis.as(other).get(`/user/emails/${id}`).expect(404);
      expect(answer.body).toEqual({ message: '404 Email Not Found' });
      const kept = await trellis.as(other).delete(`/user/emails/${id}`).expect(200);
      expect(kept.text).toBe('');
      expect(kept.headers['content-length']).toBe('0');
    }
    const malformed = await trellis.as(other).delete('/user/emails/first').expect(400);
    expect(malformed.body).toEqual({ error: 'email_id is invalid' });
    expect((await trellis.as(person).delete(path).expect(200)).body).toEqual(made);
    expect((await trellis.as(person).delete(path).expect(200)).text).toBe('');
    await add(other, made.email);
  });

  it('are added, listed and removed by administrators', async () => {
    const owner = await trellis.factories.user();
    const email = address();
    const made = (await trellis.as(admin).post(pathOf(owner), { email }).expect(201))
      .body as EmailBody;
    expect(made).toEqual({ id: made.id, email });
    expect((await trellis.as(admin).get(pathOf(owner)).expect(200)).body).toEqual([made]);
    const path = `${pathOf(owner)}/${String(made.id)}`;
    expect((await trellis.as(admin).delete(path).expect(200)).body).toEqual(made);
    expect((await trellis.as(admin).delete(path).expect(404)).body).toEqual({
      message: '404 Email Not Found',
    });
  });

  it('need an account that exists', async () => {
    const asAdmin = trellis.as(admin);
    const answers = [
      await asAdmin.get('/users/999999/emails'),
      await asAdmin.post('/users/999999/emails', { email: address() }),
      await asAdmin.delete('/users/999999/emails/1'),
    ];
    for (const { status, body } of answers) {
      expect({ status, body: body as unknown }).toEqual({
        status: 404,
        body: { message: '404 User Not Found' },
      });
    }
    const noRoute = await asAdmin.delete('/users/zoe/emails/1').expect(404);
    expect(noRoute.body).toEqual({ error: '404 Not Found' });
  });
});
