import type { Person } from '../support/factories.js';
import { Trellis } from '../support/trellis.js';

describe('requests that share look-ups', () => {
  let trellis: Trellis;
  let people: Person[];

  beforeAll(async () => {
    trellis = await Trellis.start();
    people = await Promise.all(Array.from({ length: 4 }, () => trellis.factories.user()));
  });
  afterAll(() => trellis.stop());

  it('answer everybody about themselves, and refuse those in between who are nobody', async () => {
    const answers = await Promise.all([
      ...people.map((person) => trellis.as(person).get('/user')),
      trellis.as({ token: 'no-such-token' }).get('/user'),
      ...people.map((person) => trellis.as(person).get('/user')),
    ]);
    const ids = people.map(({ user }) => user.id);
    const shown = answers.map(({ body }) => (body as { id?: number }).id);
    expect(shown).toEqual([...ids, undefined, ...ids]);
    expect(answers[4]?.status).toBe(401);
  });

  it('know what was changed right before them', async () => {
    const [person] = people as [Person];
    const ask = () => Promise.all([1, 2, 3].map(() => trellis.as(person).get('/user')));
    const setState = (state: string) =>
      trellis.rows('UPDATE users SET state = $2 WHERE id = $1', [person.user.id, state]);
    const under = ask();
    await setState('blocked');
    expect((await ask()).map(({ status }) => status)).toEqual([401, 401, 401]);
    await setState('active');
    expect((await ask()).map(({ status }) => status)).toEqual([200, 200, 200]);
    await under;
  });
});
