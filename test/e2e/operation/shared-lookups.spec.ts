import type { Person } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

describe('requests that share look-ups', () => {
  let trellis: Trellis;
  let people: Person[];

  beforeAll(async () => {
    trellis = await Trellis.shared();
    people = await Promise.all(Array.from({ length: 4 }, () => trellis.factories.user()));
  });

  it('return each caller’s own account, and refuse invalid tokens among them', async () => {
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

  it('see preceding changes', async () => {
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

  it('load each requested project in its current state', async () => {
    const [owner, guest, stranger] = people as [Person, Person, Person];
    const mine = await trellis.factories.project(owner);
    const open = await trellis.factories.project(owner, { visibilityLevel: 20 });
    await trellis.factories.addToProject(mine, guest, 10);
    const askers = [owner, guest, stranger, { token: 'no-such-token' }];
    const ask = async () => {
      const asked = [mine, open].flatMap(({ id }) =>
        askers.map((asker) => trellis.as(asker).get(`/projects/${String(id)}`)),
      );
      return (await Promise.all(asked)).map(({ status }) => status);
    };
    expect(await ask()).toEqual([200, 200, 404, 404, 200, 200, 200, 200]);
    await trellis.rows('DELETE FROM project_members WHERE project_id = $1', [mine.id]);
    await trellis.rows('UPDATE projects SET visibility_level = 10 WHERE id = $1', [open.id]);
    await trellis.rows("UPDATE users SET state = 'blocked' WHERE id = $1", [stranger.user.id]);
    expect(await ask()).toEqual([200, 404, 404, 404, 200, 200, 404, 404]);
    await trellis.rows('UPDATE projects SET deleted_at = now() WHERE id = $1', [mine.id]);
    expect(await ask()).toEqual([404, 404, 404, 404, 200, 200, 404, 404]);
  });
});
