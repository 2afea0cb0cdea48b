import { type MadeGroup, type MadeProject, type Person, unique } from '../support/factories.js';
import { listForm } from '../support/list-form.js';
import { Trellis } from '../support/trellis.js';

interface ProjectBody extends Record<string, unknown> {
  id: number;
}

const ids = (bodies: readonly ProjectBody[]) => bodies.map(({ id }) => id);

describe('GET /groups/:id/projects', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;
  let stranger: Person;
  let external: Person;
  let group: MadeGroup;
  let old: MadeProject;
  let archived: MadeProject;
  let young: MadeProject;
  let shared: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.start();
    admin = await trellis.factories.admin();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    stranger = await trellis.factories.user();
    external = await trellis.factories.user({ external: true });
    group = await trellis.factories.group(owner, { name: `Team ${unique()}` });
    old = await inGroup(group, 20);
    archived = await inGroup(group, 0);
    shared = await sharedWith(group, 10);
    young = await inGroup(group, 10);
    await trellis.rows('UPDATE projects SET archived = true WHERE id = $1', [archived.id]);
    await trellis.rows("UPDATE projects SET last_activity_at = now() + '1 day' WHERE id = $1", [
      old.id,
    ]);
    await trellis.rows("UPDATE projects SET description = 'Find_me' WHERE id = $1", [shared.id]);
    for (const [project, name] of [
      [old, 'bb'],
      [young, 'aa'],
      [shared, 'cc'],
    ] as const) {
      await trellis.rows('UPDATE projects SET name = $2 WHERE id = $1', [project.id, name]);
    }
  });
  afterAll(() => trellis.stop());

  const pathTo = ({ id }: { id: number }, rest = '') => `/groups/${String(id)}${rest}`;
  const inGroup = (group: MadeGroup, visibilityLevel = 0): Promise<MadeProject> =>
    trellis.factories.project(owner, { namespaceId: group.id, visibilityLevel });

  /** A project elsewhere that is shared with the group. */
  async function sharedWith(group: MadeGroup, visibilityLevel = 0): Promise<MadeProject> {
    const project = await trellis.factories.project(owner, { visibilityLevel });
    await trellis.factories.share(project, group, 30);
    return project;
  }

  async function listed(person: Person, group: { id: number }, query = ''): Promise<number[]> {
    const answer = await trellis
      .as(person)
      .get(pathTo(group, `/projects${query}`))
      .expect(200);
    return ids(answer.body as ProjectBody[]);
  }

  const asListed = (project: MadeProject) => listForm(trellis, owner, project);

  it('takes well-formed parameters', async () => {
    const cases: [string, string][] = [
      ['archived=perhaps', 'archived is invalid'],
      ['visibility=secret', 'visibility does not have a valid value'],
      ['order_by=size', 'order_by does not have a valid value'],
      ['sort=up', 'sort does not have a valid value'],
      ['simple=maybe', 'simple is invalid'],
      ['page=x', 'page is invalid'],
    ];
    for (const [query, error] of cases) {
      const answer = await trellis
        .as(owner)
        .get(pathTo(group, `/projects?${query}`))
        .expect(400);
      expect([query, answer.body]).toEqual([query, { error }]);
    }
  });

  it("lists the group's own and shared projects, newest first, without permissions", async () => {
    const answer = await trellis.as(owner).get(pathTo(group, '/projects')).expect(200);
    expect(answer.body).toEqual([
      await asListed(young),
      await asListed(shared),
      await asListed(old),
    ]);
    expect(answer.headers).toMatchObject({ 'x-total': '3', 'x-page': '1' });
  });

  it('takes every filter and order', async () => {
    const cases: [string, MadeProject[]][] = [
      ['?archived=true', [archived]],
      ['?archived=false', [young, shared, old]],
      ['?visibility=public', [old]],
      ['?visibility=internal', [young, shared]],
      ['?visibility=private', []],
      ['?sort=asc', [old, shared, young]],
      ['?order_by=id', [young, shared, old]],
      ['?order_by=name&sort=asc', [young, old, shared]],
      ['?order_by=last_activity_at', [old, young, shared]],
      ['?search=IND_M', [shared]],
      ['?search=ind%25m', []],
      ['?search=find_me&visibility=public', []],
      ['?per_page=1&page=2', [shared]],
      ['?page=9', []],
    ];
    for (const [query, expected] of cases) {
      expect([query, await listed(owner, group, query)]).toEqual([
        query,
        expected.map(({ id }) => id),
      ]);
    }
  });

  it('answers the short form with simple', async () => {
    const answer = await trellis
      .as(owner)
      .get(pathTo(group, '/projects?simple=true&visibility=public'))
      .expect(200);
    const fullPath = `${group.path}/${old.path}`;
    expect(answer.body).toEqual([
      {
        id: old.id,
        http_url_to_repo: `${trellis.url}/${fullPath}.git`,
        web_url: `${trellis.url}/${fullPath}`,
        name: 'bb',
        name_with_namespace: `${group.name} / bb`,
        path: old.path,
        path_with_namespace: fullPath,
      },
    ]);
  });

  it('shows each caller what they can see', async () => {
    expect(await listed(stranger, group)).toEqual([young.id, shared.id, old.id]);
    expect(await listed(external, group)).toEqual([old.id]);
    expect(await listed(admin, group, '?archived=true')).toEqual([archived.id]);
    expect(await listed(stranger, group, '?archived=true')).toEqual([]);
  });

  it('costs the same number of statements for one project as for twenty', async () => {
    const measure = (perPage: number) =>
      trellis.statements.during(() => listed(owner, group, `?per_page=${String(perPage)}`));
    const one = await measure(1);
    await trellis.rows(
      `INSERT INTO projects (namespace_id, creator_id, name, path, visibility_level, runners_token_sealed)
       SELECT namespace_id, creator_id, 'more ' || n, 'more-' || n, visibility_level, runners_token_sealed
         FROM projects, generate_series(1, 20) n WHERE id = $1`,
      [old.id],
    );
    const twenty = await measure(20);
    expect(twenty).toHaveLength(one.length);
    expect(twenty.length).toBeLessThanOrEqual(10);
  });
});
