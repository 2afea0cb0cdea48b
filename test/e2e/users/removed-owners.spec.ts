import { access } from 'node:fs/promises';
import { ProjectStorage } from '../../../src/modules/storage/index.js';
import { eraseAtOnce } from '../../support/erasure.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';
import { eventually } from '../../unit/queue/support/eventually.js';

jest.setTimeout(180_000);

/** Some jobs wait for others, and try again later each time. */
const PATIENCE_MS = 90_000;

describe('Projects of removed groups and users', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared({ runsJobs: true });
    eraseAtOnce(trellis);
    admin = await trellis.factories.admin();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
  });
  afterAll(() => trellis.restore());

  const pathOf = ({ id }: MadeProject) => `/projects/${String(id)}`;

  /** Row and repository. */
  async function expectGone({ id }: MadeProject): Promise<void> {
    const folder = trellis.app.get(ProjectStorage).path({ id, storage: 'default' });
    expect(await trellis.rows('SELECT 1 FROM projects WHERE id = $1', [id])).toEqual([]);
    await expect(access(folder)).rejects.toThrow('ENOENT');
  }

  it('are deleted with their group, at once for every reader', async () => {
    const group = await trellis.factories.group(owner);
    const options = { namespaceId: group.id, visibilityLevel: 20 };
    const projects = [
      await trellis.factories.project(owner, options),
      await trellis.factories.project(owner, options),
    ];
    await trellis
      .as(admin)
      .post(`${pathOf(projects[0]!)}/star`)
      .expect(200);
    await trellis
      .as(owner)
      .delete(`/groups/${String(group.id)}`)
      .expect(200);
    for (const project of projects) {
      await trellis.anonymous.get(pathOf(project)).expect(404);
      await trellis.as(admin).get(pathOf(project)).expect(404);
    }
    const body = { name: 'late', namespace_id: group.id };
    await trellis.as(admin).post('/projects', body).expect(400);
    for (const project of projects) await eventually(() => expectGone(project), PATIENCE_MS);
    const stars = 'SELECT 1 FROM project_stars WHERE project_id = ANY($1)';
    expect(await trellis.rows(stars, [projects.map(({ id }) => id)])).toEqual([]);
  });

  it('are not created in a group during its removal', async () => {
    const group = await trellis.factories.group(owner);
    const create = (number: number) =>
      trellis
        .as(owner)
        .post('/projects', { name: `late-${String(number)}`, namespace_id: group.id });
    const [removal, ...creations] = await Promise.all([
      trellis.as(owner).delete(`/groups/${String(group.id)}`),
      ...[1, 2, 3, 4].map(create),
    ]);
    expect(removal.status).toBe(200);
    for (const { status } of creations) expect([200, 400]).toContain(status);
    const living = await trellis.rows(
      'SELECT 1 FROM projects WHERE namespace_id = $1 AND deleted_at IS NULL',
      [group.id],
    );
    expect(living).toEqual([]);
  });

  it('are deleted with their owner; those in groups belong to the ghost user, and stars are removed', async () => {
    const leaving = await trellis.factories.user();
    const personal = await trellis.factories.project(leaving, { visibilityLevel: 20 });
    const group = await trellis.factories.group(owner);
    await trellis.factories.addToGroup(group, leaving, 40);
    const inGroup = await trellis.factories.project(leaving, {
      namespaceId: group.id,
      visibilityLevel: 20,
    });
    await trellis.factories.addToProject(inGroup, leaving, 40);
    for (const person of [leaving, owner]) {
      await trellis
        .as(person)
        .post(`${pathOf(inGroup)}/star`)
        .expect(200);
    }
    await trellis
      .as(admin)
      .delete(`/users/${String(leaving.user.id)}`)
      .expect(200);
    await trellis.as(admin).get(pathOf(personal)).expect(404);
    await eventually(() => expectGone(personal), PATIENCE_MS);
    await eventually(async () => {
      const left = await trellis.rows('SELECT 1 FROM users WHERE id = $1', [leaving.user.id]);
      expect(left).toEqual([]);
    }, PATIENCE_MS);
    const [ghost] = await trellis.rows<{ id: number }>('SELECT id FROM users WHERE ghost');
    const answer = await trellis.as(owner).get(pathOf(inGroup)).expect(200);
    expect(answer.body).toMatchObject({ creator_id: ghost?.id, star_count: 1 });
    const members = await trellis.rows('SELECT 1 FROM project_members WHERE project_id = $1', [
      inGroup.id,
    ]);
    expect(members).toEqual([]);
  });
});
