import type { MadeProject, Person } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

describe('Stars', () => {
  let trellis: Trellis;
  let owner: Person;
  let other: Person;
  let open: MadeProject;
  let secret: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    other = await trellis.factories.user();
    open = await trellis.factories.project(owner, { visibilityLevel: 20 });
    secret = await trellis.factories.project(owner);
  });

  const starOf = ({ id }: { id: number }) => `/projects/${String(id)}/star`;

  async function stars({ id }: MadeProject): Promise<{ count: number; rows: number }> {
    const [row] = await trellis.rows<{ count: number; rows: number }>(
      `SELECT star_count AS count,
              (SELECT count(*)::int FROM project_stars s WHERE s.project_id = p.id) AS rows
         FROM projects p WHERE id = $1`,
      [id],
    );
    return row!;
  }

  it('require read access to the project', async () => {
    for (const verb of ['post', 'delete'] as const) {
      await trellis.anonymous[verb](starOf(open)).expect(401);
      for (const project of [secret, { id: 999_999 }]) {
        const answer = await trellis.as(other)[verb](starOf(project)).expect(404);
        expect(answer.body).toEqual({ message: '404 Project Not Found' });
      }
    }
    expect(await stars(open)).toEqual({ count: 0, rows: 0 });
  });

  it('are added once and removed once', async () => {
    const given = await trellis.as(other).post(starOf(open)).expect(200);
    expect(given.body).toMatchObject({ id: open.id, star_count: 1 });
    expect(given.body).not.toHaveProperty('runners_token');
    expect(given.body).not.toHaveProperty('permissions');
    const again = await trellis.as(other).post(starOf(open)).expect(304);
    expect(again.text).toBe('');
    const second = await trellis.as(owner).post(starOf(open)).expect(200);
    expect(second.body).toMatchObject({
      star_count: 2,
      runners_token: expect.stringMatching(/^[\w-]{20}$/),
    });
    const taken = await trellis.as(other).delete(starOf(open)).expect(200);
    expect(taken.body).toMatchObject({ id: open.id, star_count: 1 });
    await trellis.as(other).delete(starOf(open)).expect(304);
    expect(await stars(open)).toEqual({ count: 1, rows: 1 });
  });

  it('are added to archived projects too, and by path', async () => {
    const project = await trellis.factories.project(owner, { visibilityLevel: 20 });
    await trellis
      .as(owner)
      .post(`/projects/${String(project.id)}/archive`)
      .expect(200);
    const path = `/projects/${encodeURIComponent(project.fullPath)}/star`;
    await trellis.as(other).post(path).expect(200);
    expect(await stars(project)).toEqual({ count: 1, rows: 1 });
  });

  it('do not change the times of the project', async () => {
    const project = await trellis.factories.project(owner, { visibilityLevel: 20 });
    const times = () =>
      trellis.rows('SELECT updated_at, last_activity_at FROM projects WHERE id = $1', [project.id]);
    const before = await times();
    await trellis.as(other).post(starOf(project)).expect(200);
    expect(await times()).toEqual(before);
  });

  it('are counted exactly for concurrent requests', async () => {
    const project = await trellis.factories.project(owner, { visibilityLevel: 20 });
    const people = await Promise.all(Array.from({ length: 5 }, () => trellis.factories.user()));
    const all = (verb: 'post' | 'delete') =>
      Promise.all(
        people.flatMap((person) => [1, 2, 3].map(() => trellis.as(person)[verb](starOf(project)))),
      );
    for (const [verb, expected] of [
      ['post', 5],
      ['delete', 0],
    ] as const) {
      const answers = await all(verb);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
      expect(answers.filter(({ status }) => status === 304)).toHaveLength(10);
      expect(await stars(project)).toEqual({ count: expected, rows: expected });
    }
  });

  it('survive a loss of access', async () => {
    await trellis.factories.addToProject(secret, other, 10);
    await trellis.as(other).post(starOf(secret)).expect(200);
    await trellis.rows('DELETE FROM project_members WHERE user_id = $1', [other.user.id]);
    await trellis.as(other).delete(starOf(secret)).expect(404);
    expect(await stars(secret)).toEqual({ count: 1, rows: 1 });
  });
});
