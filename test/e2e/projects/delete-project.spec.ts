import type { Person } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

interface ProjectBody {
  id: number;
}

describe('DELETE /projects/:id', () => {
  let trellis: Trellis;
  let owner: Person;
  let other: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    other = await trellis.factories.user();
  });

  it('requires the owner', async () => {
    const project = await trellis.factories.project(owner, { visibilityLevel: 20 });
    const path = `/projects/${String(project.id)}`;
    await trellis.anonymous.delete(path).expect(401);
    const refused = await trellis.as(other).delete(path).expect(403);
    expect(refused.body).toEqual({ message: '403 Forbidden' });
    await trellis.rows(
      'INSERT INTO project_members (project_id, user_id, access_level) VALUES ($1, $2, 40)',
      [project.id, other.user.id],
    );
    await trellis.as(other).delete(path).expect(403);
    await trellis.as(owner).get(path).expect(200);
  });

  it('hides the project at once, frees its path and deletes the rest in a job', async () => {
    const project = await trellis.factories.project(owner, { visibilityLevel: 20 });
    const path = `/projects/${String(project.id)}`;
    const answer = await trellis.as(owner).delete(path).expect(200);
    expect(answer.body).toBe(true);
    await trellis.as(owner).get(path).expect(404);
    await trellis.as(owner).delete(path).expect(404);
    const listed = await trellis.as(owner).get('/projects?per_page=100').expect(200);
    expect((listed.body as ProjectBody[]).map(({ id }) => id)).not.toContain(project.id);
    const jobs = await trellis.rows<{ payload: unknown }>(
      `SELECT payload FROM outbox WHERE name = 'purge-project'
        AND (payload->>'projectId')::int = $1`,
      [project.id],
    );
    expect(jobs).toEqual([{ payload: { projectId: project.id, storage: 'default' } }]);
    const again = { name: project.path, path: project.path };
    await trellis.as(owner).post('/projects', again).expect(200);
  });

  it('requires the owner of the group, not a master', async () => {
    const group = await trellis.factories.group(owner);
    const project = await trellis.factories.project(owner, { namespaceId: group.id });
    const path = `/projects/${String(project.id)}`;
    const master = await trellis.factories.user();
    const coOwner = await trellis.factories.user();
    await trellis.factories.addToGroup(group, master, 40);
    await trellis.factories.addToGroup(group, coOwner, 50);
    await trellis.as(master).delete(path).expect(403);
    const answer = await trellis.as(coOwner).call('delete', path).type('form').send({ id: '7' });
    expect([answer.status, answer.body]).toEqual([200, true]);
  });

  it('succeeds once for concurrent requests', async () => {
    const project = await trellis.factories.project(owner);
    const path = `/projects/${String(project.id)}`;
    const answers = await Promise.all([1, 2, 3, 4].map(() => trellis.as(owner).delete(path)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
  });

  it('detaches forks, and keeps their counts right', async () => {
    const [source, middle, leaf] = [
      await trellis.factories.project(owner),
      await trellis.factories.project(owner),
      await trellis.factories.project(owner),
    ];
    const link = (to: { id: number }, from: { id: number }) =>
      trellis.rows(
        `WITH made AS (INSERT INTO fork_links (forked_to_project_id, forked_from_project_id)
                       VALUES ($1, $2))
         UPDATE projects SET forks_count = forks_count + 1 WHERE id = $2`,
        [to.id, from.id],
      );
    await link(middle, source);
    await link(leaf, middle);
    await trellis
      .as(owner)
      .delete(`/projects/${String(middle.id)}`)
      .expect(200);
    const read = async ({ id }: { id: number }) =>
      (
        await trellis
          .as(owner)
          .get(`/projects/${String(id)}`)
          .expect(200)
      ).body as object;
    expect(await read(source)).toMatchObject({ forks_count: 0 });
    expect(await read(leaf)).not.toHaveProperty('forked_from_project');
    const links = await trellis.rows(
      `SELECT 1 FROM fork_links
        WHERE forked_to_project_id = ANY($1) OR forked_from_project_id = ANY($1)`,
      [[source.id, middle.id, leaf.id]],
    );
    expect(links).toEqual([]);
  });
});
