import { createHash } from 'node:crypto';
import type { MadeProject, Person } from '../../support/factories.js';
import { newKey } from '../../support/public-keys.js';
import { Trellis } from '../../support/trellis.js';

interface KeyBody {
  id: number;
  title: string;
  key: string;
  can_push: boolean;
}

interface InstanceKeyBody {
  id: number;
  projects_with_write_access: { id: number }[];
  projects_with_readonly_access: { id: number }[];
}

const ABSENT = { message: '404 Deploy Key Not Found' };
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;

describe('deploy keys of version 4', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;
  let other: Person;
  let project: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    other = await trellis.factories.user({ projectsLimit: 1000 });
  });
  beforeEach(async () => {
    project = await trellis.factories.project(owner);
  });

  const pathOf = ({ id }: MadeProject, rest = '') => `/projects/${String(id)}/deploy_keys${rest}`;
  const keyPath = (of: MadeProject, { id }: { id: number }, verb = '') =>
    pathOf(of, `/${String(id)}${verb}`);

  const add = async (to: MadeProject, input: object = {}, who = owner): Promise<KeyBody> => {
    const body = { title: 'Deploys', key: newKey(), ...input };
    return (await trellis.as(who).v4.post(pathOf(to), body).expect(201)).body as KeyBody;
  };
  const read = async (of: MadeProject, key: { id: number }): Promise<KeyBody> =>
    (await trellis.as(owner).v4.get(keyPath(of, key)).expect(200)).body as KeyBody;
  const ofInstance = async ({ id }: { id: number }): Promise<InstanceKeyBody | undefined> => {
    const { body } = await trellis.as(admin).v4.get('/deploy_keys').expect(200);
    return (body as InstanceKeyBody[]).find((one) => one.id === id);
  };

  it('require a master, and administrators for those of all projects', async () => {
    const key = await add(project);
    const developer = await trellis.factories.user();
    await trellis.factories.addToProject(project, developer, 30);
    const body = { title: 'x', key: newKey(), can_push: true };
    for (const [verb, path] of [
      ['get', pathOf(project)],
      ['post', pathOf(project)],
      ['get', keyPath(project, key)],
      ['put', keyPath(project, key)],
      ['post', keyPath(project, key, '/enable')],
      ['delete', keyPath(project, key)],
    ] as const) {
      await trellis.anonymous.v4.call(verb, path).send(body).expect(401);
      await trellis.as(other).v4.call(verb, path).send(body).expect(404);
      await trellis.as(developer).v4.call(verb, path).send(body).expect(403);
    }
    await trellis.anonymous.v4.get('/deploy_keys').expect(401);
    await trellis.as(owner).v4.get('/deploy_keys').expect(403);
    expect((await read(project, key)).can_push).toBe(false);
  });

  it('require a title and a valid key, and a change', async () => {
    const post = (body: object) => trellis.as(owner).v4.post(pathOf(project), body).expect(400);
    expect((await post({})).body).toEqual({ error: 'title is missing, key is missing' });
    expect((await post({ title: 'x', key: newKey(), can_push: 'maybe' })).body).toEqual({
      error: 'can_push is invalid',
    });
    expect((await post({ title: ' ', key: newKey() })).body).toEqual({
      message: { title: ["can't be blank"] },
    });
    const key = await add(project);
    const put = (body: object) => trellis.as(owner).v4.put(keyPath(project, key), body).expect(400);
    expect((await put({})).body).toEqual({
      error: 'title, can_push are missing, at least one parameter must be provided',
    });
    expect((await put({ title: '', can_push: true })).body).toEqual({
      message: { title: ["can't be blank"] },
    });
    expect(await read(project, key)).toEqual(key);
  });

  it('are created, listed, read and deleted', async () => {
    const line = newKey();
    const first = await add(project, { title: 'First', key: line, can_push: true });
    const data = Buffer.from(line.split(' ')[1] ?? '', 'base64');
    const sha256 = createHash('sha256').update(data).digest('base64').replace(/=+$/, '');
    expect(first).toEqual({
      id: expect.any(Number) as number,
      title: 'First',
      created_at: TIME,
      expires_at: null,
      key: line,
      usage_type: 'auth_and_signing',
      fingerprint: expect.stringMatching(/^([0-9a-f]{2}:){15}[0-9a-f]{2}$/) as string,
      fingerprint_sha256: `SHA256:${sha256}`,
      can_push: true,
    });
    const second = await add(project);
    expect(second.can_push).toBe(false);
    const list = await trellis.as(owner).v4.get(pathOf(project)).expect(200);
    expect(list.body).toEqual([second, first]);
    const page = await trellis.as(owner).v4.get(pathOf(project, '?per_page=1&page=2')).expect(200);
    expect(page.body).toEqual([first]);
    expect(page.headers).toMatchObject({ 'x-total': '2' });
    expect(await read(project, first)).toEqual(first);
    const removed = await trellis.as(owner).v4.delete(keyPath(project, first)).expect(204);
    expect(removed.text).toBe('');
    for (const verb of ['get', 'put', 'delete'] as const) {
      const absent = await trellis
        .as(owner)
        .v4.call(verb, keyPath(project, first))
        .send({ title: 'x' })
        .expect(404);
      expect(absent.body).toEqual(ABSENT);
    }
  });

  it('are the rows of version 3, which does not show the right to push', async () => {
    const key = await add(project, { can_push: true });
    const { body } = await trellis.as(owner).get(keyPath(project, key)).expect(200);
    expect(body).toEqual({ id: key.id, title: key.title, key: key.key, created_at: TIME });
    const old = await trellis
      .as(owner)
      .post(pathOf(project), { title: 'Old', key: newKey() })
      .expect(200);
    expect((await read(project, old.body as KeyBody)).can_push).toBe(false);
  });

  it('stay as they are when they are added again', async () => {
    const key = await add(project);
    const again = { title: 'Another', key: `${key.key} comment`, can_push: true };
    expect(await add(project, again)).toEqual(key);
    expect((await read(project, key)).can_push).toBe(false);
  });

  it('have the right to push for each project', async () => {
    const key = await add(project, { can_push: true });
    const second = await trellis.factories.project(owner);
    const enable = () =>
      trellis
        .as(owner)
        .v4.post(keyPath(second, key, '/enable'))
        .expect(201);
    expect((await enable()).body).toEqual({ ...key, can_push: false });
    const change = (body: object) => trellis.as(owner).v4.put(keyPath(second, key), body);
    expect((await change({ can_push: true }).expect(200)).body).toEqual(key);
    // Enabling a key again takes nothing away.
    expect((await enable()).body).toEqual(key);
    await trellis.as(owner).v4.put(keyPath(project, key), { can_push: false }).expect(200);
    expect((await read(second, key)).can_push).toBe(true);
    const third = await trellis.factories.project(owner);
    expect(await add(third, { key: key.key, can_push: true })).toEqual(key);

    const absent = await trellis
      .as(other)
      .v4.post(keyPath(await trellis.factories.project(other), key, '/enable'))
      .expect(404);
    expect(absent.body).toEqual(ABSENT);
  });

  it('lose the right when they are unlinked', async () => {
    const key = await add(project, { can_push: true });
    const second = await trellis.factories.project(owner);
    await trellis
      .as(owner)
      .v4.post(keyPath(second, key, '/enable'))
      .expect(201);
    await trellis.as(owner).v4.delete(keyPath(project, key)).expect(204);
    const again = await trellis
      .as(owner)
      .v4.post(keyPath(project, key, '/enable'))
      .expect(201);
    expect((again.body as KeyBody).can_push).toBe(false);
  });

  it('are renamed, those of several projects by administrators only', async () => {
    const key = await add(project);
    const rename = (who: Person, title: string) =>
      trellis.as(who).v4.put(keyPath(project, key), { title }).expect(200);
    expect((await rename(owner, 'Mine')).body).toEqual({ ...key, title: 'Mine' });
    const second = await trellis.factories.project(owner);
    await trellis
      .as(owner)
      .v4.post(keyPath(second, key, '/enable'))
      .expect(201);
    expect((await rename(owner, 'Ours')).body).toEqual({ ...key, title: 'Mine' });
    expect((await rename(admin, 'Theirs')).body).toEqual({ ...key, title: 'Theirs' });
  });

  it('list the projects that they read and push to, for administrators', async () => {
    const key = await add(project, { can_push: true });
    const statements = async () =>
      (await trellis.statements.during(() => trellis.as(admin).v4.get('/deploy_keys').expect(200)))
        .length;
    const forOne = await statements();
    const group = await trellis.factories.group(owner);
    const second = await trellis.factories.project(owner, { namespaceId: group.id });
    await trellis
      .as(owner)
      .v4.post(keyPath(second, key, '/enable'))
      .expect(201);
    const gone = await trellis.factories.project(owner);
    await trellis
      .as(owner)
      .v4.post(keyPath(gone, key, '/enable'))
      .expect(201);
    await trellis
      .as(owner)
      .v4.delete(`/projects/${String(gone.id)}`)
      .expect(202);
    await add(second);
    expect(await statements()).toBe(forOne);
    const { can_push: _, ...fields } = key;
    const identity = (of: MadeProject, namespace: string) => ({
      id: of.id,
      description: null,
      name: of.path,
      name_with_namespace: `${namespace} / ${of.path}`,
      path: of.path,
      path_with_namespace: of.fullPath,
      created_at: TIME,
    });
    const { body } = await trellis
      .as(admin)
      .get(`/groups/${String(group.id)}`)
      .expect(200);
    expect(await ofInstance(key)).toEqual({
      ...fields,
      projects_with_write_access: [identity(project, owner.user.name)],
      projects_with_readonly_access: [identity(second, (body as { name: string }).name)],
    });
  });

  it('record changes of the right to push in the audit log', async () => {
    const key = await add(project);
    const change = (canPush: boolean) =>
      trellis.as(owner).v4.put(keyPath(project, key), { can_push: canPush }).expect(200);
    await change(true);
    await change(true);
    await change(false);
    const query = `target_type=deploy_key&target_id=${String(key.id)}`;
    const { body } = await trellis.as(admin).get(`/audit_events?${query}`).expect(200);
    const seen = (body as { action: string; author_id: number; details: object }[]).map(
      ({ action, author_id: author, details }) => [action, author, details],
    );
    const details = (can_push: boolean) => ({
      fingerprint: expect.any(String) as string,
      can_push,
    });
    expect(seen).toEqual([
      ['deploy_key.updated', owner.user.id, details(false)],
      ['deploy_key.updated', owner.user.id, details(true)],
      ['deploy_key.added', owner.user.id, details(false)],
    ]);
  });

  it('stay when the account in whose name they push is deleted', async () => {
    const group = await trellis.factories.group(owner);
    const master = await trellis.factories.user();
    await trellis.factories.addToGroup(group, master, 40);
    const shared = await trellis.factories.project(owner, { namespaceId: group.id });
    const key = await add(shared, { can_push: true }, master);
    await trellis
      .as(admin)
      .v4.delete(`/users/${String(master.user.id)}`)
      .expect(204);
    expect(await read(shared, key)).toEqual(key);
  });

  it('are either changed or absent when they are removed concurrently', async () => {
    for (let round = 0; round < 6; round += 1) {
      const key = await add(project);
      const [changed, removed] = await Promise.all([
        trellis.as(owner).v4.put(keyPath(project, key), { can_push: true, title: 'New' }),
        trellis.as(owner).v4.delete(keyPath(project, key)),
      ]);
      expect(removed.status).toBe(204);
      expect([200, 404]).toContain(changed.status);
      await trellis.as(owner).v4.get(keyPath(project, key)).expect(404);
    }
  });
});
