import type { Person } from '../../support/factories.js';
import { GroupProjects } from '../../support/group-projects.js';
import { Trellis } from '../../support/trellis.js';

interface ProjectBody extends Record<string, unknown> {
  id: number;
}

interface DetailBody {
  projects: ProjectBody[];
  shared_projects: ProjectBody[];
}

const ids = (bodies: readonly ProjectBody[]) => bodies.map(({ id }) => id);

describe('GET /groups/:id', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;
  let projects: GroupProjects;
  let stranger: Person;
  let external: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new GroupProjects(trellis, owner);
    stranger = await trellis.factories.user();
    external = await trellis.factories.user({ external: true });
  });

  const pathTo = ({ id }: { id: number }, rest = '') => `/groups/${String(id)}${rest}`;
  async function detail(person: Person, group: { id: number }): Promise<DetailBody> {
    return (await trellis.as(person).get(pathTo(group)).expect(200)).body as DetailBody;
  }

  it('requires a credential', async () => {
    const group = await trellis.factories.group(owner);
    await trellis.anonymous.get(pathTo(group)).expect(401);
    await trellis.anonymous.get(pathTo(group, '/projects')).expect(401);
  });

  it('returns 404 for unknown groups', async () => {
    const hidden = await trellis.factories.group(owner, { visibilityLevel: 0 });
    const deleted = await trellis.factories.group(owner);
    await trellis.rows('UPDATE namespaces SET deleted_at = now() WHERE id = $1', [deleted.id]);
    const [personal] = await trellis.rows<{ id: number }>(
      'SELECT id FROM namespaces WHERE owner_id = $1',
      [stranger.user.id],
    );
    for (const id of [
      String(hidden.id),
      hidden.path,
      String(deleted.id),
      deleted.path,
      String(personal!.id),
      stranger.user.username,
      '0',
      '99999999999',
      'no-such-group',
      '..%2F..%2Fetc',
      '%27%20OR%20true--',
      hidden.path.replace('o', '%D0%BE'),
    ]) {
      for (const rest of ['', '/projects']) {
        const answer = await trellis.as(stranger).get(`/groups/${id}${rest}`).expect(404);
        expect(answer.body).toEqual({ message: '404 Group Not Found' });
      }
    }
    await trellis.as(stranger).get('/groups/a%00b').expect(400);
  });

  it('finds a group by number and by path, case-insensitively; digits are a number', async () => {
    const group = await trellis.factories.group(owner);
    for (const id of [String(group.id), group.path, group.path.toUpperCase()]) {
      const answer = await trellis.as(stranger).get(`/groups/${id}`).expect(200);
      expect(answer.body).toMatchObject({ id: group.id });
    }
    const digits = await trellis.factories.group(owner, { path: '20170109' });
    await trellis.as(owner).get('/groups/20170109').expect(404);
    await trellis.as(owner).get(pathTo(digits)).expect(200);
  });

  it('returns every field, with projects newest first and archived ones included', async () => {
    const group = await trellis.factories.group(owner, { description: 'What it is for' });
    const [old, archived, young] = [
      await projects.make(group, 20),
      await projects.make(group, 10),
      await projects.make(group),
    ];
    await trellis.rows('UPDATE projects SET archived = true WHERE id = $1', [archived.id]);
    const [firstShared, secondShared] = [
      await projects.share(group, 20),
      await projects.share(group),
    ];
    const answer = await trellis.as(owner).get(pathTo(group)).expect(200);
    expect(answer.body).toEqual({
      id: group.id,
      name: group.name,
      path: group.path,
      description: 'What it is for',
      visibility_level: 20,
      lfs_enabled: true,
      avatar_url: null,
      web_url: `${trellis.url}/groups/${group.path}`,
      request_access_enabled: false,
      projects: [
        await projects.asListed(young),
        await projects.asListed(archived),
        await projects.asListed(old),
      ],
      shared_projects: [
        await projects.asListed(secondShared),
        await projects.asListed(firstShared),
      ],
    });
    expect((answer.body as DetailBody).projects[2]).toMatchObject({
      name_with_namespace: `${group.name} / ${String((await detail(owner, group)).projects[2]?.['name'])}`,
      path_with_namespace: `${group.path}/${old.path}`,
      namespace: { id: group.id, owner_id: null, path: group.path },
    });
    expect((answer.body as DetailBody).projects[2]).not.toHaveProperty('owner');
  });

  it('limits the projects to those that the caller can read', async () => {
    const group = await trellis.factories.group(owner);
    const guest = await trellis.factories.user();
    await trellis.factories.addToGroup(group, guest, 10);
    const late = await trellis.factories.user();
    await trellis.factories.addToGroup(group, late, 50, '2000-01-01');
    const own = [
      await projects.make(group, 0),
      await projects.make(group, 10),
      await projects.make(group, 20),
    ];
    const shared = [
      await projects.share(group, 0),
      await projects.share(group, 10),
      await projects.share(group, 20),
    ];
    const seen = async (person: Person) => {
      const shown = await detail(person, group);
      return [
        ids(shown.projects).map((id) => own.findIndex((one) => one.id === id)),
        ids(shown.shared_projects).map((id) => shared.findIndex((one) => one.id === id)),
      ];
    };
    const all = [2, 1, 0];
    expect(await seen(owner)).toEqual([all, all]);
    expect(await seen(admin)).toEqual([all, all]);
    expect(await seen(guest)).toEqual([all, all]);
    expect(await seen(stranger)).toEqual([
      [2, 1],
      [2, 1],
    ]);
    expect(await seen(late)).toEqual([
      [2, 1],
      [2, 1],
    ]);
    expect(await seen(external)).toEqual([[2], [2]]);
    await trellis.factories.addToProject(own[0]!, external, 10);
    expect(await seen(external)).toEqual([[2, 0], [2]]);
    await trellis.rows('UPDATE projects SET deleted_at = now() WHERE id = ANY($1)', [
      [own[2]!.id, shared[2]!.id],
    ]);
    expect(await seen(external)).toEqual([[0], []]);
  });

  it('ignores expired shares, and never shows a project twice', async () => {
    const group = await trellis.factories.group(owner);
    const own = await projects.make(group, 20);
    await trellis.factories.share(own, group, 30);
    const expired = await trellis.factories.project(owner, { visibilityLevel: 20 });
    await trellis.factories.share(expired, group, 30, '2000-01-01');
    const shown = await detail(owner, group);
    expect([ids(shown.projects), ids(shown.shared_projects)]).toEqual([[own.id], []]);
    expect(await projects.listed(owner, group)).toEqual([own.id]);
  });

  it('shows a hidden group to readers of a project in it or shared with it', async () => {
    const group = await trellis.factories.group(owner, { visibilityLevel: 0 });
    const [visible, other] = [await projects.make(group), await projects.make(group)];
    const person = await trellis.factories.user({ external: true });
    await trellis.as(person).get(pathTo(group)).expect(404);
    await trellis.factories.addToProject(visible, person, 10);
    expect(ids((await detail(person, group)).projects)).toEqual([visible.id]);
    expect(await projects.listed(person, group)).toEqual([visible.id]);
    expect(ids((await detail(owner, group)).projects)).toEqual([other.id, visible.id]);
    await trellis.rows('DELETE FROM project_members WHERE user_id = $1', [person.user.id]);
    await trellis.as(person).get(pathTo(group)).expect(404);
    const shared = await projects.share(group, 20);
    const seen = await detail(person, group);
    expect([ids(seen.projects), ids(seen.shared_projects)]).toEqual([[], [shared.id]]);
  });

  it('embeds the newest thousand projects', async () => {
    const group = await trellis.factories.group(owner);
    const { id } = await projects.make(group, 20);
    const inserted = await trellis.rows<{ id: number }>(
      `INSERT INTO projects (namespace_id, creator_id, name, path, visibility_level, runners_token_sealed)
       SELECT namespace_id, creator_id, 'copy ' || n, 'copy-' || n, visibility_level, runners_token_sealed
         FROM projects, generate_series(1, 1100) n WHERE id = $1 RETURNING id`,
      [id],
    );
    const newest = inserted.map((row) => row.id).sort((a, b) => b - a);
    expect(ids((await detail(owner, group)).projects)).toEqual(newest.slice(0, 1_000));
  });

  it('returns hundreds of projects, with as many statements as for one', async () => {
    const group = await trellis.factories.group(owner);
    const { id } = await projects.make(group, 20);
    await projects.share(group);
    const measure = async (count: number) =>
      trellis.statements.during(async () => {
        expect((await detail(owner, group)).projects).toHaveLength(count);
      });
    const few = await measure(1);
    await trellis.rows(
      `INSERT INTO projects (namespace_id, creator_id, name, path, visibility_level, runners_token_sealed)
       SELECT namespace_id, creator_id, 'copy ' || n, 'copy-' || n, visibility_level, runners_token_sealed
         FROM projects, generate_series(1, 300) n WHERE id = $1`,
      [id],
    );
    const many = await measure(301);
    expect(many).toHaveLength(few.length);
    expect(many.length).toBeLessThanOrEqual(10);
  });
});
