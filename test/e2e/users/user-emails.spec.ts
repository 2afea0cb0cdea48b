import { type Person, unique } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

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
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
    person = await trellis.factories.user();
    other = await trellis.factories.user();
  });

  const pathOf = ({ user }: Person) => `/users/${String(user.id)}/emails`;
  const add = async (who: Person, email = address()) =>
    (await trellis.as(who).post('/user/emails', { email }).expect(201)).body as EmailBody;

  it('must be well-formed', async () => {
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

  it('are stored in lower case', async () => {
    const email = address();
    const made = await add(person, email.toUpperCase());
    expect(made).toEqual({ id: made.id, email });
  });

  it('are unique among primary and secondary addresses', async () => {
    const { email } = await add(other);
    for (const taken of [email, email.toUpperCase(), other.user.email, person.user.email]) {
      const answer = await trellis.as(person).post('/user/emails', { email: taken }).expect(400);
      expect(answer.body).toEqual(TAKEN);
    }
  });

  it('are assigned once for concurrent requests', async () => {
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
});
