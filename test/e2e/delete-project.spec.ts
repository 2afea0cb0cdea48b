import type { Person } from '../support/factories.js';
import { Trellis } from '../support/trellis.js';

interface ProjectBody {
  id: number;
}

describe('DELETE /projects/:id', () => {
  let trellis: Trellis;
  let owner: Person;
  let other: Person;

  beforeAll(async () => {
    trellis = await Trellis.start();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    other = await trellis.factories.user();
  });
  afterAll(() => trellis.stop());

  it('takes the owner', async () => {
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

  it('hides the project at once, frees its path and leaves the rest to a job', async () => {
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
});
