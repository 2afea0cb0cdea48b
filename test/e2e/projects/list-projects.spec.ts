import type { Person } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

interface ProjectBody {
  id: number;
}

describe('GET /projects', () => {
  let trellis: Trellis;
  let owner: Person;
  let other: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    other = await trellis.factories.user();
  });

  it('requires a credential and well-formed pages', async () => {
    await trellis.anonymous.get('/projects').expect(401);
    const answer = await trellis.as(other).get('/projects?page=first').expect(400);
    expect(answer.body).toEqual({ error: 'page is invalid' });
  });

  it('lists the projects of the caller, newest first, in pages', async () => {
    const member = await trellis.factories.user();
    const ids: number[] = [];
    for (let made = 0; made < 3; made += 1) {
      ids.unshift((await trellis.factories.project(member)).id);
    }
    const foreign = await trellis.factories.project(owner, { visibilityLevel: 20 });
    const all = await trellis.as(member).get('/projects').expect(200);
    expect((all.body as ProjectBody[]).map(({ id }) => id)).toEqual(ids);
    expect(ids).not.toContain(foreign.id);
    const second = await trellis.as(member).get('/projects?page=2&per_page=2').expect(200);
    expect((second.body as ProjectBody[]).map(({ id }) => id)).toEqual(ids.slice(2));
    expect(second.headers).toMatchObject({
      'x-total': '3',
      'x-total-pages': '2',
      'x-per-page': '2',
      'x-page': '2',
      'x-next-page': '',
      'x-prev-page': '1',
    });
    expect(second.headers['link']).toBe(
      [
        `<${trellis.url}/api/v3/projects?page=1&per_page=2>; rel="prev"`,
        `<${trellis.url}/api/v3/projects?page=1&per_page=2>; rel="first"`,
        `<${trellis.url}/api/v3/projects?page=2&per_page=2>; rel="last"`,
      ].join(', '),
    );
    const beyond = await trellis.as(member).get('/projects?page=7').expect(200);
    expect(beyond.body).toEqual([]);
  });

  it('includes memberships in other namespaces until they expire', async () => {
    const project = await trellis.factories.project(owner);
    const member = await trellis.factories.user();
    const list = async () =>
      ((await trellis.as(member).get('/projects').expect(200)).body as ProjectBody[]).map(
        ({ id }) => id,
      );
    await trellis.rows(
      'INSERT INTO project_members (project_id, user_id, access_level) VALUES ($1, $2, 10)',
      [project.id, member.user.id],
    );
    expect(await list()).toEqual([project.id]);
    await trellis.rows('UPDATE project_members SET expires_at = current_date WHERE user_id = $1', [
      member.user.id,
    ]);
    expect(await list()).toEqual([]);
    await trellis
      .as(member)
      .get(`/projects/${String(project.id)}`)
      .expect(404);
  });

  it('takes the same number of statements for one project as for twenty', async () => {
    const member = await trellis.factories.user({ projectsLimit: 100 });
    await trellis.factories.project(member);
    const measure = () =>
      trellis.statements.during(() => trellis.as(member).get('/projects').expect(200));
    const one = await measure();
    for (let made = 1; made < 20; made += 1) await trellis.factories.project(member);
    const spawned = trellis.git.spawnCount;
    const twenty = await measure();
    expect(twenty).toHaveLength(one.length);
    expect(twenty.length).toBeLessThanOrEqual(12);
    expect(trellis.git.spawnCount).toBe(spawned);
  });
});
