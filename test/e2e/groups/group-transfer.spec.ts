import { Checkout } from '../../support/checkout.js';
import { type MadeGroup, type MadeProject, type Person, unique } from '../../support/factories.js';
import { listForm } from '../../support/list-form.js';
import { Trellis } from '../../support/trellis.js';

const SAME_PATH =
  'Failed to transfer project {"new_namespace":["Project with same path in target namespace already exists"]}';
const SAME_NAME =
  'Failed to transfer project {"new_namespace":["Project with same name in target namespace already exists"]}';
const INVALID = 'Failed to transfer project {"new_namespace":["is invalid"]}';

describe('POST /groups/:id/projects/:project_id', () => {
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
    group = await trellis.factories.group(owner);
  });

  const pathOf = (target: { id: number }, project: { id: number | string }) =>
    `/groups/${String(target.id)}/projects/${String(project.id)}`;
  const transfer = (target: { id: number }, project: { id: number }) =>
    trellis.as(admin).post(pathOf(target, project));

  interface Place {
    namespace_id: number;
    visibility_level: number;
  }

  async function placeOf({ id }: MadeProject): Promise<Place> {
    const [row] = await trellis.rows<Place>(
      'SELECT namespace_id, visibility_level FROM projects WHERE id = $1',
      [id],
    );
    return row!;
  }

  it('requires a credential, and an administrator before other checks', async () => {
    const project = await trellis.factories.project(owner);
    await trellis.anonymous.post(pathOf(group, project)).expect(401);
    for (const path of [
      pathOf(group, project),
      pathOf({ id: 999_999 }, project),
      pathOf(group, { id: 'x' }),
    ]) {
      const answer = await trellis.as(owner).post(path).expect(403);
      expect(answer.body).toEqual({ message: '403 Forbidden' });
    }
    expect(await placeOf(project)).not.toMatchObject({ namespace_id: group.id });
  });

  it('accepts the full path of a project, case-insensitively, as well as its number', async () => {
    for (const spell of [
      encodeURIComponent,
      (path: string) => encodeURIComponent(path.toUpperCase()),
    ]) {
      const project = await trellis.factories.project(owner);
      const path = pathOf(group, { id: spell(project.fullPath) });
      const answer = await trellis.as(admin).post(path).expect(200);
      expect(answer.body).toMatchObject({ id: group.id });
      expect(await placeOf(project)).toMatchObject({ namespace_id: group.id });
    }
    const { username } = owner.user;
    for (const id of ['x', '-1', '1.5', `${username}%2Fabsent`, `${username}%2Fa%2Fb`, '%2F']) {
      const answer = await trellis.as(admin).post(pathOf(group, { id })).expect(404);
      expect(answer.body).toEqual({ message: '404 Project Not Found' });
    }
  });

  it('returns 404 for unknown groups and for unknown or deleted projects', async () => {
    const project = await trellis.factories.project(owner);
    const deletedGroup = await trellis.factories.group(owner);
    await trellis.rows('UPDATE namespaces SET deleted_at = now() WHERE id = $1', [deletedGroup.id]);
    const [personal] = await trellis.rows<{ id: number }>(
      'SELECT id FROM namespaces WHERE owner_id = $1',
      [admin.user.id],
    );
    for (const target of [{ id: 999_999 }, deletedGroup, personal!]) {
      const answer = await transfer(target, project).expect(404);
      expect(answer.body).toEqual({ message: '404 Group Not Found' });
    }
    const deleted = await trellis.factories.project(owner);
    await trellis.rows('UPDATE projects SET deleted_at = now() WHERE id = $1', [deleted.id]);
    for (const unknown of [{ id: 0 }, { id: 999_999 }, { id: 99_999_999_999 }, deleted]) {
      const answer = await transfer(group, unknown).expect(404);
      expect(answer.body).toEqual({ message: '404 Project Not Found' });
    }
  });

  it('returns the reason when a project cannot be moved', async () => {
    const project = await trellis.factories.project(owner);
    await transfer(group, project).expect(200);
    expect((await transfer(group, project).expect(400)).body).toEqual({ message: INVALID });

    const samePath = await trellis.factories.project(owner);
    await trellis.rows('UPDATE projects SET path = upper($2) WHERE id = $1', [
      samePath.id,
      project.path,
    ]);
    expect((await transfer(group, samePath).expect(400)).body).toEqual({ message: SAME_PATH });

    const sameName = await trellis.factories.project(owner);
    await trellis.rows(
      'UPDATE projects SET name = (SELECT name FROM projects WHERE id = $2) WHERE id = $1',
      [sameName.id, project.id],
    );
    expect((await transfer(group, sameName).expect(400)).body).toEqual({ message: SAME_NAME });

    const wiki = await trellis.factories.project(owner);
    await trellis.rows("UPDATE projects SET path = $2 || '.wiki' WHERE id = $1", [
      wiki.id,
      project.path,
    ]);
    expect((await transfer(group, wiki).expect(400)).body).toEqual({ message: SAME_PATH });
    for (const one of [samePath, sameName, wiki]) {
      expect(await placeOf(one)).not.toMatchObject({ namespace_id: group.id });
    }
  });

  it('moves the project with all its addresses and returns the group with it', async () => {
    const project = await trellis.factories.project(owner, { visibilityLevel: 20 });
    const work = await Checkout.create(trellis, project, owner);
    try {
      const head = await work.commit();
      expect((await work.push('HEAD:refs/heads/master')).code).toBe(0);
      const answer = await transfer(group, project).expect(200);
      expect(answer.body).toEqual({
        id: group.id,
        name: group.name,
        path: group.path,
        description: '',
        visibility_level: 20,
        lfs_enabled: true,
        avatar_url: null,
        web_url: `${trellis.url}/groups/${group.path}`,
        request_access_enabled: false,
        projects: [await listForm(trellis, owner, project)],
        shared_projects: [],
      });
      const fullPath = `${group.path}/${project.path}`;
      const moved = await trellis
        .as(owner)
        .get(`/projects/${encodeURIComponent(fullPath)}`)
        .expect(200);
      expect(moved.body).toMatchObject({
        id: project.id,
        path_with_namespace: fullPath,
        web_url: `${trellis.url}/${fullPath}`,
        namespace: { id: group.id, path: group.path },
        default_branch: 'master',
        visibility_level: 20,
      });
      expect(moved.body).not.toHaveProperty('owner');
      await trellis
        .as(owner)
        .get(`/projects/${encodeURIComponent(project.fullPath)}`)
        .expect(404);
      const refs = await work.git('ls-remote', work.remote.replace(project.fullPath, fullPath));
      expect(refs).toContain(head);
      expect((await work.try('ls-remote', work.remote)).code).not.toBe(0);
    } finally {
      await work.remove();
    }
  });

  it('finds the group by its path, and frees the old path of the project', async () => {
    const name = unique();
    const project = await trellis.factories.project(owner, { name });
    await trellis
      .as(admin)
      .post(`/groups/${group.path.toUpperCase()}/projects/${String(project.id)}`)
      .expect(200);
    await trellis.factories.project(owner, { name });
  });

  it('lowers the visibility to that of the group, and never raises it', async () => {
    const levels = [];
    for (const [groupLevel, projectLevel] of [
      [0, 20],
      [10, 20],
      [20, 0],
    ] as const) {
      const target = await trellis.factories.group(owner, { visibilityLevel: groupLevel });
      const project = await trellis.factories.project(owner, { visibilityLevel: projectLevel });
      await transfer(target, project).expect(200);
      levels.push(await placeOf(project));
    }
    expect(levels.map(({ visibility_level }) => visibility_level)).toEqual([0, 10, 0]);
  });

  it('keeps members and shares; the rest follows the namespace', async () => {
    const [member, groupMember, sharedMember] = [
      await trellis.factories.user(),
      await trellis.factories.user(),
      await trellis.factories.user(),
    ];
    const sharedGroup = await trellis.factories.group(sharedMember);
    const project = await trellis.factories.project(owner);
    await trellis.factories.addToProject(project, member, 20);
    await trellis.factories.share(project, sharedGroup, 30);
    await trellis.factories.addToGroup(group, groupMember, 10);
    const path = `/projects/${String(project.id)}`;
    await trellis.as(groupMember).get(path).expect(404);
    await transfer(group, project).expect(200);
    for (const person of [owner, member, groupMember, sharedMember]) {
      await trellis.as(person).get(path).expect(200);
    }
    const second = await trellis.factories.group(admin);
    await transfer(second, project).expect(200);
    await trellis.as(groupMember).get(path).expect(404);
    await trellis.as(owner).get(path).expect(200);
  });

  it('moves to both groups one after the other for concurrent requests', async () => {
    const [first, second] = [group, await trellis.factories.group(owner)];
    for (let round = 0; round < 4; round += 1) {
      const project = await trellis.factories.project(owner);
      const answers = await Promise.all([transfer(first, project), transfer(second, project)]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect([first.id, second.id]).toContain((await placeOf(project)).namespace_id);
    }
  });

  it('moves one of several projects with the same path', async () => {
    const projects: MadeProject[] = [];
    for (let made = 0; made < 4; made += 1) {
      const person = await trellis.factories.user();
      projects.push(await trellis.factories.project(person, { name: `one-${group.path}` }));
    }
    const answers = await Promise.all(projects.map((project) => transfer(group, project)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, body } of answers.filter((one) => one.status !== 200)) {
      expect(status).toBe(400);
      expect([SAME_PATH, SAME_NAME]).toContain((body as { message: string }).message);
    }
  });

  it('leaves no project more visible than its group when both change concurrently', async () => {
    for (let round = 0; round < 4; round += 1) {
      const target = await trellis.factories.group(owner);
      const project = await trellis.factories.project(owner, { visibilityLevel: 20 });
      const [moved, lowered] = await Promise.all([
        transfer(target, project),
        trellis.as(owner).put(`/groups/${String(target.id)}`, { visibility_level: 0 }),
      ]);
      expect(moved.status).toBe(200);
      expect([200, 400]).toContain(lowered.status);
      const { visibility_level } = await placeOf(project);
      expect(visibility_level).toBe(lowered.status === 200 ? 0 : 20);
    }
  });

  it('leaves no project more visible than its group when it is updated during the move', async () => {
    for (let round = 0; round < 6; round += 1) {
      const target = await trellis.factories.group(owner, { visibilityLevel: 0 });
      const project = await trellis.factories.project(owner);
      const [moved, raised] = await Promise.all([
        transfer(target, project),
        trellis.as(owner).put(`/projects/${String(project.id)}`, { visibility_level: 20 }),
      ]);
      expect(moved.status).toBe(200);
      expect([200, 400, 404]).toContain(raised.status);
      expect(await placeOf(project)).toEqual({ namespace_id: target.id, visibility_level: 0 });
    }
  });
});
