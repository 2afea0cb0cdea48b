import { type MadeGroup, type Person, unique } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

interface ProjectBody {
  id: number;
}

describe('Filters and orders of lists of projects', () => {
  let trellis: Trellis;
  let admin: Person;
  let guestGroup: MadeGroup;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
    guestGroup = await trellis.factories.group(admin);
  });

  async function ids(person: Person, path: string): Promise<number[]> {
    const answer = await trellis.as(person).get(path).expect(200);
    return (answer.body as ProjectBody[]).map(({ id }) => id);
  }

  it('show archived projects only on request', async () => {
    const person = await trellis.factories.user();
    const kept = await trellis.factories.project(person);
    const archived = await trellis.factories.project(person);
    await trellis
      .as(person)
      .post(`/projects/${String(archived.id)}/archive`)
      .expect(200);
    const own = `search=${person.user.username}`;
    for (const path of ['/projects', `/projects/visible?${own}`, '/projects/owned']) {
      const join = path.includes('?') ? '&' : '?';
      expect(await ids(person, path)).not.toContain(archived.id);
      expect(await ids(person, `${path}${join}archived=false`)).toContain(kept.id);
      expect(await ids(person, `${path}${join}archived=true`)).toEqual([archived.id]);
    }
    expect(await ids(admin, `/projects/all?archived=1&${own}`)).toEqual([archived.id]);
  });

  it('search name, path, description and the name of the namespace literally', async () => {
    const person = await trellis.factories.user({ projectsLimit: 100 });
    const mark = unique();
    const create = async (body: object) =>
      ((await trellis.as(person).post('/projects', body).expect(200)).body as ProjectBody).id;
    const byName = await create({ name: `A Name${mark} here`, path: `one-${unique()}` });
    const byPath = await create({ name: unique(), path: `x.name${mark.toUpperCase()}` });
    const byText = await create({
      name: unique(),
      description: `see naMe${mark} and 100% a_b \\d`,
    });
    const named = await trellis.factories.group(person, { name: `Some Name${mark}` });
    const byGroup = await create({ name: unique(), namespace_id: named.id });
    await create({ name: unique(), description: '100 per cent, axb' });
    const search = (text: string) => ids(person, `/projects?search=${encodeURIComponent(text)}`);
    expect(await search(`NAME${mark}`)).toEqual([byGroup, byText, byPath, byName]);
    expect(await search(`name${mark} here`)).toEqual([byName]);
    expect(await search('100% a_b')).toEqual([byText]);
    expect(await search('a_b \\d')).toEqual([byText]);
    expect(await search("' OR 1=1 --")).toEqual([]);
    expect(await search(person.user.username)).toHaveLength(4);
    expect(await search('')).toHaveLength(5);
  });

  it('sort in both directions, with the ID as a tie breaker', async () => {
    const person = await trellis.factories.user({ projectsLimit: 100 });
    const made: number[] = [];
    for (const name of ['bravo', 'delta', 'alpha', 'charlie']) {
      const answer = await trellis.as(person).post('/projects', { name }).expect(200);
      made.push((answer.body as ProjectBody).id);
    }
    const [bravo = 0, delta = 0, alpha = 0, charlie = 0] = made;
    await trellis.rows(
      `UPDATE projects SET created_at = '2020-01-02', updated_at = '2020-01-02',
              last_activity_at = '2020-01-02', path = 'z-' || path WHERE id = ANY($1::int[])`,
      [[bravo, charlie]],
    );
    await trellis.rows(
      `UPDATE projects SET created_at = '2020-01-01', updated_at = '2020-01-03',
              last_activity_at = '2020-01-01' WHERE id = $1`,
      [delta],
    );
    await trellis.rows(
      `UPDATE projects SET created_at = '2020-01-05', updated_at = '2020-01-01',
              last_activity_at = '2020-01-03' WHERE id = $1`,
      [alpha],
    );
    const ascending: Record<string, number[]> = {
      id: [bravo, delta, alpha, charlie],
      name: [alpha, bravo, charlie, delta],
      path: [alpha, delta, bravo, charlie],
      created_at: [delta, bravo, charlie, alpha],
      updated_at: [alpha, bravo, charlie, delta],
      last_activity_at: [delta, bravo, charlie, alpha],
    };
    for (const [order, expected] of Object.entries(ascending)) {
      expect(await ids(person, `/projects?order_by=${order}&sort=asc`)).toEqual(expected);
      const descending = [...expected].reverse();
      expect(await ids(person, `/projects?order_by=${order}`)).toEqual(descending);
      const pages = [1, 2, 3, 4].map((page) =>
        ids(person, `/projects/owned?order_by=${order}&per_page=1&page=${String(page)}`),
      );
      expect((await Promise.all(pages)).flat()).toEqual(descending);
    }
    expect(await ids(person, '/projects?sort=asc')).toEqual(ascending['created_at']);
  });

  it('take a constant number of statements with groups, shares and forks', async () => {
    const person = await trellis.factories.user({ projectsLimit: 100 });
    const team = await trellis.factories.group(person);
    const add = async () => {
      const personal = await trellis.factories.project(person);
      const fork = await trellis.factories.project(person, { namespaceId: team.id });
      await trellis.factories.share(personal, guestGroup, 30);
      await trellis.factories.share(fork, guestGroup, 10);
      await trellis.rows(
        'INSERT INTO fork_links (forked_to_project_id, forked_from_project_id) VALUES ($1, $2)',
        [fork.id, personal.id],
      );
      await trellis
        .as(person)
        .post(`/projects/${String(fork.id)}/star`)
        .expect(200);
    };
    await add();
    const paths = ['', '/visible', '/owned', '/starred'].map((path) => `/projects${path}`);
    const measure = (path: string) =>
      trellis.statements.during(() => trellis.as(person).get(`${path}?search=e`).expect(200));
    const one: number[] = [];
    for (const path of paths) one.push((await measure(path)).length);
    for (let made = 1; made < 20; made += 1) await add();
    const spawned = trellis.git.spawnCount;
    for (const [index, path] of paths.entries()) {
      const twenty = await measure(path);
      expect(twenty).toHaveLength(one[index] ?? 0);
      expect(twenty.length).toBeLessThanOrEqual(12);
    }
    expect(trellis.git.spawnCount).toBe(spawned);
  });
});
