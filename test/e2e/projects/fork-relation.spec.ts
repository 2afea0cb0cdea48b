import { type MadeProject, type Person } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('the relation between a fork and its source', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;
  let source: MadeProject;
  let project: MadeProject;

  const relationOf = (id: number | string, from: number | string) =>
    `/projects/${String(id)}/fork/${String(from)}`;
  const relate = (from: number | string = source.id) =>
    trellis.as(admin).post(relationOf(project.id, from));
  const unrelate = () => trellis.as(admin).delete(`/projects/${String(project.id)}/fork`);
  const forksOf = async ({ id }: MadeProject) => {
    const [row] = await trellis.rows('SELECT forks_count FROM projects WHERE id = $1', [id]);
    return row?.['forks_count'];
  };
  const links = () =>
    trellis.rows('SELECT forked_from_project_id FROM fork_links WHERE forked_to_project_id = $1', [
      project.id,
    ]);

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
  });

  beforeEach(async () => {
    source = await trellis.factories.project(owner, { visibilityLevel: 20 });
    project = await trellis.factories.project(owner, { visibilityLevel: 20 });
  });

  it('requires an administrator and two existing projects', async () => {
    const path = relationOf(project.id, source.id);
    await trellis.anonymous.post(path).expect(401);
    await trellis.anonymous.delete(`/projects/${String(project.id)}/fork`).expect(401);
    await trellis.as(owner).post(path).expect(403);
    await trellis
      .as(owner)
      .delete(`/projects/${String(project.id)}/fork`)
      .expect(403);
    await trellis.as(owner).post(relationOf(99_999_999, source.id)).expect(403);

    const missing = { message: '404 Project Not Found' };
    for (const id of [99_999_999, '99999999999999999999', 0, 'x']) {
      expect((await relate(id).expect(404)).body).toEqual(missing);
      expect((await trellis.as(admin).post(relationOf(id, source.id)).expect(404)).body).toEqual(
        missing,
      );
    }
    await trellis.as(admin).delete('/projects/99999999/fork').expect(404);
    expect((await relate(project.id).expect(400)).body).toEqual({
      message: { forked_from_project_id: ['is invalid'] },
    });
    expect(await links()).toEqual([]);
  });

  it('is created and deleted, and counted', async () => {
    const made = await relate().expect(200);
    const relation = {
      id: expect.any(Number) as number,
      forked_to_project_id: project.id,
      forked_from_project_id: source.id,
      created_at: expect.stringMatching(TIME) as string,
      updated_at: expect.stringMatching(TIME) as string,
    };
    expect(made.body).toEqual(relation);
    expect(await forksOf(source)).toBe(1);
    const read = await trellis
      .as(owner)
      .get(`/projects/${String(project.id)}`)
      .expect(200);
    expect(read.body).toMatchObject({ forked_from_project: { id: source.id } });

    const again = await relate().expect(409);
    expect(again.body).toEqual({ message: 'Project already forked' });
    const other = await trellis.factories.project(owner);
    await relate(other.id).expect(409);
    expect([await forksOf(source), await forksOf(other)]).toEqual([1, 0]);

    expect((await unrelate().expect(200)).body).toEqual(made.body);
    expect(await forksOf(source)).toBe(0);
    expect(await links()).toEqual([]);
    const none = await unrelate().expect(304);
    expect(none.text).toBe('');
    await relate(encodeURIComponent(other.fullPath)).expect(200);
    expect(await forksOf(other)).toBe(1);
  });

  it('is created once and deleted once by concurrent requests', async () => {
    const made = await Promise.all([relate(), relate(), relate(), relate()]);
    expect(made.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect(await forksOf(source)).toBe(1);
    const removed = await Promise.all([unrelate(), unrelate(), unrelate()]);
    expect(removed.map(({ status }) => status).sort()).toEqual([200, 304, 304]);
    expect(await forksOf(source)).toBe(0);
  });

  it('ends with its source, and deleted forks are not counted', async () => {
    await relate().expect(200);
    await trellis
      .as(owner)
      .delete(`/projects/${String(source.id)}`)
      .expect(200);
    await unrelate().expect(304);
    const other = await trellis.factories.project(owner);
    await relate(other.id).expect(200);
    expect(await forksOf(other)).toBe(1);
    expect((await relate(source.id)).status).toBe(404);
    await trellis
      .as(owner)
      .delete(`/projects/${String(project.id)}`)
      .expect(200);
    expect(await forksOf(other)).toBe(0);
  });

  it('keeps exact counts when projects are deleted concurrently', async () => {
    const forks = await Promise.all(
      Array.from({ length: 6 }, () => trellis.factories.project(owner)),
    );
    await Promise.all(
      forks.flatMap(({ id }) => [
        trellis.as(admin).post(relationOf(id, source.id)),
        trellis.as(owner).delete(`/projects/${String(id)}`),
      ]),
    );
    const [counted] = await trellis.rows<{ count: number }>(
      `SELECT count(*)::int AS count FROM fork_links f
         JOIN projects p ON p.id = f.forked_to_project_id AND p.deleted_at IS NULL
        WHERE f.forked_from_project_id = $1`,
      [source.id],
    );
    expect(await forksOf(source)).toBe(counted?.count);
  });
});
