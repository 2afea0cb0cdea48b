import { access } from 'node:fs/promises';
import { ProjectStorage } from '../../../src/modules/storage/index.js';
import { runJobsOf } from '../../support/due-jobs.js';
import { type MadeGroup, type Person, unique } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

const pathTo = ({ id }: { id: number }) => `/groups/${String(id)}`;

async function idsAt(trellis: Trellis, person: Person, path: string): Promise<number[]> {
  const answer = await trellis.as(person).get(path).expect(200);
  return (answer.body as { id: number }[]).map(({ id }) => id);
}

describe('DELETE /groups/:id', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;
  let group: MadeGroup;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
  });

  beforeEach(async () => {
    group = await trellis.factories.group(owner, { description: 'What it was for' });
  });

  it('requires a credential', async () => {
    await trellis.anonymous.delete(pathTo(group)).expect(401);
  });

  it('is limited to owners and administrators; others get 404 for hidden groups', async () => {
    const master = await trellis.factories.user();
    await trellis.factories.addToGroup(group, master, 40);
    const stranger = await trellis.factories.user();
    for (const person of [master, stranger]) {
      const answer = await trellis.as(person).delete(pathTo(group)).expect(403);
      expect(answer.body).toEqual({ message: '403 Forbidden' });
    }
    const hidden = await trellis.factories.group(owner, { visibilityLevel: 0 });
    const [personal] = await trellis.rows<{ id: number }>(
      'SELECT id FROM namespaces WHERE owner_id = $1',
      [owner.user.id],
    );
    for (const [person, id] of [
      [stranger, String(hidden.id)],
      [owner, String(personal!.id)],
      [admin, owner.user.username],
      [admin, '999999'],
    ] as const) {
      const answer = await trellis.as(person).delete(`/groups/${id}`).expect(404);
      expect(answer.body).toEqual({ message: '404 Group Not Found' });
    }
    await trellis.as(admin).delete(pathTo(hidden)).expect(200);
  });

  it('returns the group, and hides it at once with its projects, members and shares', async () => {
    const member = await trellis.factories.user();
    await trellis.factories.addToGroup(group, member, 30);
    const project = await trellis.factories.project(owner, {
      namespaceId: group.id,
      visibilityLevel: 20,
    });
    const shared = await trellis.factories.project(owner);
    await trellis.factories.share(shared, group, 30);
    await trellis
      .as(member)
      .get(`/projects/${String(shared.id)}`)
      .expect(200);

    const answer = await trellis
      .as(owner)
      .call('delete', `/groups/${group.path.toUpperCase()}`)
      .type('form')
      .send({ id: 1 })
      .expect(200);
    expect(answer.body).toEqual({
      id: group.id,
      name: group.name,
      path: group.path,
      description: 'What it was for',
      visibility_level: 20,
      lfs_enabled: true,
      avatar_url: null,
      web_url: `${trellis.url}/groups/${group.path}`,
      request_access_enabled: false,
    });

    for (const person of [owner, member, admin]) {
      for (const path of [pathTo(group), `/groups/${group.path}`, `${pathTo(group)}/projects`]) {
        await trellis.as(person).get(path).expect(404);
      }
      for (const id of [String(project.id), encodeURIComponent(`${group.path}/${project.path}`)]) {
        await trellis.as(person).get(`/projects/${id}`).expect(404);
      }
      for (const path of [
        '/groups',
        '/groups?all_available=true',
        '/groups/owned',
        '/namespaces',
      ]) {
        const separator = path.includes('?') ? '&' : '?';
        const ids = await idsAt(trellis, person, `${path}${separator}per_page=100`);
        expect(ids).not.toContain(group.id);
      }
      expect(await idsAt(trellis, person, '/projects/visible?per_page=100')).not.toContain(
        project.id,
      );
    }
    await trellis.as(owner).put(pathTo(group), { name: 'x' }).expect(404);
    await trellis.as(owner).delete(pathTo(group)).expect(404);
    await trellis
      .as(member)
      .get(`/projects/${String(shared.id)}`)
      .expect(404);
    const kept = await trellis
      .as(owner)
      .get(`/projects/${String(shared.id)}`)
      .expect(200);
    expect(kept.body).toMatchObject({ shared_with_groups: [] });
    expect(
      await trellis.rows('SELECT 1 FROM group_members WHERE group_id = $1', [group.id]),
    ).toEqual([]);
    expect(
      await trellis.rows('SELECT 1 FROM project_group_links WHERE group_id = $1', [group.id]),
    ).toEqual([]);
  });

  it('frees name and path at once', async () => {
    await trellis.factories.project(owner, { namespaceId: group.id });
    await trellis.as(owner).delete(pathTo(group)).expect(200);
    const { name, path } = group;
    const made = await trellis.as(owner).post('/groups', { name, path }).expect(200);
    expect(made.body).toMatchObject({ path });
    const { body } = await trellis.as(owner).get(`/groups/${path}`).expect(200);
    expect(body).toMatchObject({ projects: [] });
  });

  it('schedules one job for each project and one for the group', async () => {
    const { id } = await trellis.factories.project(owner, { namespaceId: group.id });
    await trellis.as(owner).delete(pathTo(group)).expect(200);
    const jobs = await trellis.rows(
      `SELECT queue, name, payload FROM outbox
        WHERE payload @> $1::jsonb OR payload @> $2::jsonb ORDER BY name`,
      [JSON.stringify({ projectId: id }), JSON.stringify({ namespaceId: group.id })],
    );
    expect(jobs).toEqual([
      { queue: 'projects', name: 'purge-project', payload: { projectId: id, storage: 'default' } },
      { queue: 'groups', name: 'remove-namespace', payload: { namespaceId: group.id } },
    ]);
  });

  it('succeeds once for concurrent requests', async () => {
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => trellis.as(owner).delete(pathTo(group))),
    );
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 404, 404, 404]);
  });

  it('also deletes projects that are created in it or moved into it concurrently', async () => {
    for (let round = 0; round < 6; round += 1) {
      const target = await trellis.factories.group(owner);
      const elsewhere = await trellis.factories.project(owner);
      const body = { name: unique(), namespace_id: target.id };
      const [made, moved, deleted] = await Promise.all([
        trellis.as(owner).post('/projects', body),
        trellis.as(admin).post(`${pathTo(target)}/projects/${String(elsewhere.id)}`),
        trellis.as(owner).delete(pathTo(target)),
      ]);
      expect(deleted.status).toBe(200);
      expect([200, 400]).toContain(made.status);
      expect([200, 404]).toContain(moved.status);
      const living = await trellis.rows(
        'SELECT id FROM projects WHERE namespace_id = $1 AND deleted_at IS NULL',
        [target.id],
      );
      expect(living).toEqual([]);
    }
  });
});

describe('the data of deleted namespaces', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared({ runsJobs: true });
    admin = await trellis.factories.admin();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
  });
  afterAll(() => trellis.restore());

  const expectRemoved = async (namespaceId: number) => {
    await runJobsOf(trellis, 'groups');
    expect(await trellis.rows('SELECT 1 FROM namespaces WHERE id = $1', [namespaceId])).toEqual([]);
  };

  it('is removed by jobs: repositories, projects, and then the group', async () => {
    const group = await trellis.factories.group(owner);
    const ids: number[] = [];
    for (let made = 0; made < 3; made += 1) {
      ids.push((await trellis.factories.project(owner, { namespaceId: group.id })).id);
    }
    await trellis.as(owner).delete(pathTo(group)).expect(200);
    await expectRemoved(group.id);
    expect(await trellis.rows('SELECT 1 FROM projects WHERE id = ANY($1)', [ids])).toEqual([]);
    const storage = trellis.app.get(ProjectStorage);
    for (const id of ids) {
      await expect(access(storage.path({ id, storage: 'default' }))).rejects.toThrow('ENOENT');
    }
  });

  it('keeps the group until its last project is removed', async () => {
    const group = await trellis.factories.group(owner);
    const { id } = await trellis.factories.project(owner);
    // A project whose removal takes long: hidden, and no job is there to finish it.
    await trellis.rows('UPDATE projects SET deleted_at = now(), namespace_id = $2 WHERE id = $1', [
      id,
      group.id,
    ]);
    await trellis.as(owner).delete(pathTo(group)).expect(200);
    await until(async () => {
      const tried = await trellis.rows(
        'SELECT 1 FROM outbox WHERE name = $1 AND payload = $2 AND attempts > 0',
        ['remove-namespace', JSON.stringify({ namespaceId: group.id })],
      );
      return tried.length > 0;
    });
    const rows = await trellis.rows('SELECT 1 FROM namespaces WHERE id = $1', [group.id]);
    expect(rows).toHaveLength(1);
    await trellis.rows('DELETE FROM projects WHERE id = $1', [id]);
    await expectRemoved(group.id);
  });

  it('is removed with a deleted account: its namespace and memberships', async () => {
    const person = await trellis.factories.user();
    const project = await trellis.factories.project(person, { visibilityLevel: 20 });
    const group = await trellis.factories.group(owner);
    await trellis.factories.addToGroup(group, person, 50);
    const [namespace] = await trellis.rows<{ id: number }>(
      'SELECT id FROM namespaces WHERE owner_id = $1',
      [person.user.id],
    );
    await trellis
      .as(admin)
      .delete(`/users/${String(person.user.id)}`)
      .expect(200);
    await trellis
      .as(owner)
      .get(`/projects/${String(project.id)}`)
      .expect(404);
    const members = await trellis.rows('SELECT user_id FROM group_members WHERE group_id = $1', [
      group.id,
    ]);
    expect(members).toEqual([{ user_id: owner.user.id }]);
    expect(await idsAt(trellis, admin, `/namespaces?search=${person.user.username}`)).toEqual([]);
    await expectRemoved(namespace!.id);
    expect(await trellis.rows('SELECT 1 FROM projects WHERE id = $1', [project.id])).toEqual([]);
    const { path } = await trellis.factories.group(owner, { path: person.user.username });
    await trellis.as(owner).get(`/groups/${path}`).expect(200);
  });
});
