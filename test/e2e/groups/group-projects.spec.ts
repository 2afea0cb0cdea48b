import { type MadeGroup, type MadeProject, type Person, unique } from '../../support/factories.js';
import { GroupProjects } from '../../support/group-projects.js';
import { Trellis } from '../../support/trellis.js';

describe('GET /groups/:id/projects', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;
  let projects: GroupProjects;
  let stranger: Person;
  let external: Person;
  let group: MadeGroup;
  let old: MadeProject;
  let archived: MadeProject;
  let young: MadeProject;
  let shared: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new GroupProjects(trellis, owner);
    stranger = await trellis.factories.user();
    external = await trellis.factories.user({ external: true });
    group = await trellis.factories.group(owner, { name: `Team ${unique()}` });
    old = await projects.make(group, 20);
    archived = await projects.make(group, 0);
    shared = await projects.share(group, 10);
    young = await projects.make(group, 10);
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

  const pathTo = ({ id }: { id: number }, rest = '') => `/groups/${String(id)}${rest}`;
  it('requires well-formed parameters', async () => {
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
      await projects.asListed(young),
      await projects.asListed(shared),
      await projects.asListed(old),
    ]);
    expect(answer.headers).toMatchObject({ 'x-total': '3', 'x-page': '1' });
  });

  it('accepts every filter and order', async () => {
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
      expect([query, await projects.listed(owner, group, query)]).toEqual([
        query,
        expected.map(({ id }) => id),
      ]);
    }
  });

  it('returns the short form with simple', async () => {
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

  it('shows each caller the projects that they can read', async () => {
    expect(await projects.listed(stranger, group)).toEqual([young.id, shared.id, old.id]);
    expect(await projects.listed(external, group)).toEqual([old.id]);
    expect(await projects.listed(admin, group, '?archived=true')).toEqual([archived.id]);
    expect(await projects.listed(stranger, group, '?archived=true')).toEqual([]);
  });

  it('takes the same number of statements for one project as for twenty', async () => {
    const measure = (perPage: number) =>
      trellis.statements.during(() =>
        projects.listed(owner, group, `?per_page=${String(perPage)}`),
      );
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
