import { type MadeProject, type Person, unique } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

interface ProjectBody {
  id: number;
}

describe('GET /projects/search/:query', () => {
  let trellis: Trellis;
  let owner: Person;
  let other: Person;
  let external: Person;
  let admin: Person;
  let word: string;
  let secret: MadeProject;
  let internal: MadeProject;
  let open: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    const { factories } = trellis;
    owner = await factories.user({ projectsLimit: 1000 });
    other = await factories.user();
    external = await factories.user({ external: true });
    admin = await factories.admin();
    word = unique();
    secret = await factories.project(owner, { name: `A ${word}` });
    internal = await factories.project(owner, { name: `${word} b`, visibilityLevel: 10 });
    open = await factories.project(owner, { name: `c${word}c`, visibilityLevel: 20 });
  });

  async function found(client = trellis.anonymous, query = word, rest = ''): Promise<number[]> {
    const path = `/projects/search/${encodeURIComponent(query)}${rest}`;
    const answer = await client.get(path).expect(200);
    return (answer.body as ProjectBody[]).map(({ id }) => id);
  }

  it('refuses malformed parameters', async () => {
    const cases: [string, string][] = [
      ['order_by=path', 'order_by does not have a valid value'],
      ['order_by=updated_at', 'order_by does not have a valid value'],
      ['sort=up', 'sort does not have a valid value'],
      ['page=x', 'page is invalid'],
    ];
    for (const [query, error] of cases) {
      const answer = await trellis.anonymous.get(`/projects/search/x?${query}`).expect(400);
      expect(answer.body).toEqual({ error });
    }
    const nul = await trellis.anonymous.get('/projects/search/a%00b').expect(400);
    expect(nul.body).toEqual({ error: 'query is invalid' });
  });

  it('finds the projects that the caller may read', async () => {
    expect(await found()).toEqual([open.id]);
    expect(await found(trellis.as({ token: 'no-such-token' }))).toEqual([open.id]);
    expect(await found(trellis.as(external))).toEqual([open.id]);
    expect(await found(trellis.as(other))).toEqual([open.id, internal.id]);
    for (const person of [owner, admin]) {
      expect(await found(trellis.as(person))).toEqual([open.id, internal.id, secret.id]);
    }
    await trellis.factories.addToProject(secret, other, 10);
    expect(await found(trellis.as(other))).toEqual([open.id, internal.id, secret.id]);
  });

  it('searches names only, literally and case-insensitively', async () => {
    expect(await found(trellis.as(owner), word.toUpperCase())).toHaveLength(3);
    expect(await found(trellis.as(owner), `${word} b`)).toEqual([internal.id]);
    const path = `path-${unique()}`;
    const body = { name: unique(), path, description: path };
    await trellis.as(owner).post('/projects', body).expect(200);
    expect(await found(trellis.as(owner), path)).toEqual([]);
    for (const hostile of ['%', '_', "' OR '1'='1", '\\', '..', 'a/b']) {
      expect(await found(trellis.as(owner), hostile)).toEqual([]);
    }
  });

  it('sorts by four fields', async () => {
    const byId = await found(trellis.as(owner), word, '?order_by=id&sort=asc');
    expect(byId).toEqual([secret.id, internal.id, open.id]);
    for (const order of ['created_at', 'last_activity_at']) {
      const ids = await found(trellis.as(owner), word, `?order_by=${order}`);
      expect(ids).toEqual([open.id, internal.id, secret.id]);
    }
    const byName = await found(trellis.as(owner), word, '?order_by=name&sort=asc');
    const rows = await trellis.rows<ProjectBody>(
      'SELECT id FROM projects WHERE id = ANY($1::int[]) ORDER BY name, id',
      [byName],
    );
    expect(byName).toEqual(rows.map(({ id }) => id));
    expect(byName).toHaveLength(3);
    const reverse = await found(trellis.as(owner), word, '?order_by=name&sort=desc');
    expect(reverse).toEqual([...byName].reverse());
  });

  it('includes archived projects, in pages', async () => {
    await trellis
      .as(owner)
      .post(`/projects/${String(open.id)}/archive`)
      .expect(200);
    expect(await found()).toEqual([open.id]);
    const answer = await trellis
      .as(owner)
      .get(`/projects/search/${word}?per_page=2&page=2`)
      .expect(200);
    expect((answer.body as ProjectBody[]).map(({ id }) => id)).toEqual([secret.id]);
    expect(answer.headers).toMatchObject({ 'x-total': '3', 'x-total-pages': '2' });
  });

  it('returns neither permissions nor secrets', async () => {
    const answer = await trellis.as(owner).get(`/projects/search/${word}`).expect(200);
    for (const project of answer.body as object[]) {
      expect(project).not.toHaveProperty('permissions');
      expect(project).not.toHaveProperty('runners_token');
    }
  });

  it('requires a query, and finds no project by its ID', async () => {
    await trellis.anonymous.get('/projects/search').expect(404);
    expect(await found(trellis.as(owner), '42424242')).toEqual([]);
  });
});
