import { PurgeProjectJob } from '../../../src/modules/projects/lifecycle/deletion/purge-project.job.js';
import { type MadeProject, type Person } from '../../support/factories.js';
import { QueueingHook } from '../../support/hooks.js';
import { newKey } from '../../support/public-keys.js';
import { Trellis } from '../../support/trellis.js';

interface KeyBody {
  id: number;
  title: string;
  key: string;
  created_at: string;
}

const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
const ABSENT = { message: '404 Deploy Key Not Found' };
const TAKEN = { message: { fingerprint: ['has already been taken'] } };

describe('deploy keys', () => {
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

  const pathOf = ({ id }: { id: number }, rest = '') =>
    `/projects/${String(id)}/deploy_keys${rest}`;
  const keyPath = (of: { id: number }, { id }: { id: number }, verb = '') =>
    pathOf(of, `/${String(id)}${verb}`);

  const add = async (to: MadeProject, key = newKey(), who = owner): Promise<KeyBody> =>
    (await trellis.as(who).post(pathOf(to), { title: 'Deploys', key }).expect(200)).body as KeyBody;
  const idsAt = async (path: string, who = owner): Promise<number[]> =>
    ((await trellis.as(who).get(path).expect(200)).body as KeyBody[]).map(({ id }) => id);
  const isStored = async ({ id }: { id: number }) =>
    (await trellis.rows('SELECT 1 FROM ssh_keys WHERE id = $1', [id])).length > 0;
  const deleteProject = ({ id }: MadeProject) =>
    trellis
      .as(owner)
      .delete(`/projects/${String(id)}`)
      .expect(200);

  it('require a master', async () => {
    const key = await add(project);
    const calls = [
      ['get', pathOf(project)],
      ['post', pathOf(project)],
      ['get', keyPath(project, key)],
      ['post', keyPath(project, key, '/enable')],
      ['delete', keyPath(project, key, '/disable')],
      ['delete', keyPath(project, key)],
    ] as const;
    const developer = await trellis.factories.user();
    await trellis.factories.addToProject(project, developer, 30);
    const body = { title: 'x', key: newKey() };
    for (const path of calls) {
      for (const alias of [path[1], path[1].replace('/deploy_keys', '/keys')]) {
        await trellis.anonymous.call(path[0], alias).send(body).expect(401);
        const hidden = await trellis.as(other).call(path[0], alias).send(body).expect(404);
        expect(hidden.body).toEqual({ message: '404 Project Not Found' });
        const refused = await trellis.as(developer).call(path[0], alias).send(body).expect(403);
        expect(refused.body).toEqual({ message: '403 Forbidden' });
      }
    }
    await trellis.anonymous.get('/deploy_keys').expect(401);
    const refused = await trellis.as(owner).get('/deploy_keys').expect(403);
    expect(refused.body).toEqual({ message: '403 Forbidden' });
    expect(await idsAt(pathOf(project))).toEqual([key.id]);
  });

  it('require a title and a valid key', async () => {
    const cases: [object, object][] = [
      [{}, { error: 'title is missing, key is missing' }],
      [{ title: 'x', key: ['y'] }, { error: 'key is invalid' }],
      [{ title: ' ', key: newKey() }, { message: { title: ["can't be blank"] } }],
      [
        { title: 'x', key: 'ssh-rsa AAAA' },
        { message: { key: ['is invalid'], fingerprint: ['cannot be generated'] } },
      ],
      [
        { title: 'x', key: `${newKey()}\n${newKey()}` },
        { message: { key: ['should be a single line'] } },
      ],
    ];
    for (const [given, refusal] of cases) {
      const answer = await trellis.as(owner).post(pathOf(project), given).expect(400);
      expect(answer.body).toEqual(refusal);
    }
    const invalid = await trellis.as(owner).get(pathOf(project, '/x')).expect(400);
    expect(invalid.body).toEqual({ error: 'key_id is invalid' });
    expect(await idsAt(pathOf(project))).toEqual([]);
  });

  it.each(['deploy_keys', 'keys'])(
    'are created, listed, read and deleted below /%s',
    async (name) => {
      const path = `/projects/${encodeURIComponent(project.fullPath)}/${name}`;
      const key = `${newKey()} deploy@example.com`;
      // As JSON, and as a form.
      const made = await trellis.as(owner).post(path, { title: 'First', key }).expect(200);
      const first = made.body as KeyBody;
      expect(first).toEqual({ id: first.id, title: 'First', key, created_at: TIMESTAMP });
      const form = trellis.as(owner).call('post', path).type('form');
      const second = (await form.send({ title: 'Second', key: newKey() }).expect(200))
        .body as KeyBody;

      expect((await trellis.as(owner).get(path).expect(200)).body).toEqual([second, first]);
      const one = await trellis
        .as(owner)
        .get(`${path}/${String(first.id)}`)
        .expect(200);
      expect(one.body).toEqual(first);
      const removed = await trellis
        .as(owner)
        .delete(`${path}/${String(first.id)}`)
        .expect(200);
      expect(removed.body).toEqual(first);
      for (const verb of ['get', 'delete'] as const) {
        const answer = await trellis
          .as(owner)
          .call(verb, `${path}/${String(first.id)}`)
          .expect(404);
        expect(answer.body).toEqual(ABSENT);
      }
      expect((await trellis.as(owner).get(path).expect(200)).body).toEqual([second]);
      expect(await isStored(first)).toBe(false);
    },
  );

  it('are listed in pages, with the same number of statements for one as for many', async () => {
    const keys = [await add(project)];
    const statements = () =>
      trellis.statements.during(() => trellis.as(owner).get(pathOf(project)).expect(200));
    const forOne = (await statements()).length;
    for (let made = 0; made < 4; made += 1) keys.unshift(await add(project));
    expect((await statements()).length).toBe(forOne);
    const page = await trellis.as(owner).get(pathOf(project, '?per_page=2&page=2')).expect(200);
    expect((page.body as KeyBody[]).map(({ id }) => id)).toEqual([keys[2]?.id, keys[3]?.id]);
    expect(page.headers).toMatchObject({ 'x-total': '5', 'x-next-page': '3' });

    const elsewhere = await add(await trellis.factories.project(other), newKey(), other);
    await trellis.as(owner).post('/user/keys', { title: 'Mine', key: newKey() }).expect(201);
    const all = await trellis.as(admin).get('/deploy_keys?per_page=3').expect(200);
    expect((all.body as KeyBody[]).map(({ id }) => id)).toEqual([
      elsewhere.id,
      keys[0]?.id,
      keys[1]?.id,
    ]);
    expect((all.body as unknown[])[0]).toEqual(elsewhere);
  });

  it('are reused when they are added again by a caller who can list them', async () => {
    const key = await add(project);
    const again = { title: 'Another title', key: `${key.key} and a comment` };
    const same = await trellis.as(owner).post(pathOf(project), again).expect(200);
    expect(same.body).toEqual(key);
    const second = await trellis.factories.project(owner);
    const linked = await trellis.as(owner).post(pathOf(second), again).expect(200);
    expect(linked.body).toEqual(key);
    expect([await idsAt(pathOf(project)), await idsAt(pathOf(second))]).toEqual([
      [key.id],
      [key.id],
    ]);

    const foreign = await trellis.factories.project(other);
    const post = (who: Person) => trellis.as(who).post(pathOf(foreign), again);
    expect((await post(other).expect(400)).body).toEqual(TAKEN);
    // A developer of the project cannot list its keys.
    await trellis.factories.addToProject(project, other, 30);
    expect((await post(other).expect(400)).body).toEqual(TAKEN);
    await trellis.rows('UPDATE project_members SET access_level = 40 WHERE user_id = $1', [
      other.user.id,
    ]);
    expect((await post(other).expect(200)).body).toEqual(key);
    expect(await idsAt('/deploy_keys?per_page=1', admin)).toEqual([key.id]);
  });

  it('share their fingerprints with the keys of accounts', async () => {
    const deploy = await add(project);
    const asOwn = trellis.as(owner).post('/user/keys', { title: 'x', key: `${deploy.key} me` });
    expect((await asOwn.expect(400)).body).toEqual(TAKEN);
    const own = newKey();
    await trellis.as(owner).post('/user/keys', { title: 'x', key: own }).expect(201);
    for (const who of [owner, admin]) {
      const asDeploy = trellis.as(who).post(pathOf(project), { title: 'x', key: own });
      expect((await asDeploy.expect(400)).body).toEqual(TAKEN);
    }
    expect(await idsAt(pathOf(project))).toEqual([deploy.id]);
  });

  it('are enabled where the caller is a master of one of their projects, and disabled', async () => {
    const key = await add(project);
    const second = await trellis.factories.project(owner);
    const foreign = await trellis.factories.project(other);
    const enable = (on: MadeProject, who: Person, { id } = key) =>
      trellis.as(who).post(keyPath(on, { id }, '/enable'));

    for (let times = 0; times < 2; times += 1) {
      expect((await enable(second, owner).expect(200)).body).toEqual(key);
    }
    const own = await trellis
      .as(owner)
      .post('/user/keys', { title: 'Mine', key: newKey() })
      .expect(201);
    for (const [who, id] of [
      [other, key.id],
      [other, (own.body as KeyBody).id],
      [admin, (own.body as KeyBody).id],
      [admin, 2_147_483_647],
      [admin, 99_999_999_999],
    ] as const) {
      const answer = await enable(foreign, who, { ...key, id }).expect(404);
      expect(answer.body).toEqual(ABSENT);
    }
    expect((await enable(foreign, admin).expect(200)).body).toEqual(key);
    expect(await idsAt(pathOf(foreign), other)).toEqual([key.id]);
    expect((await trellis.as(other).get(keyPath(foreign, key)).expect(200)).body).toEqual(key);

    for (const [on, who] of [
      [foreign, other],
      [project, owner],
    ] as const) {
      const disable = () => trellis.as(who).delete(keyPath(on, key, '/disable'));
      expect((await disable().expect(200)).body).toEqual(key);
      expect((await disable().expect(404)).body).toEqual(ABSENT);
    }
    expect(await isStored(key)).toBe(true);
    expect((await trellis.as(owner).delete(keyPath(second, key)).expect(200)).body).toEqual(key);
    expect(await isStored(key)).toBe(false);
    expect((await enable(second, admin).expect(404)).body).toEqual(ABSENT);
  });

  it.each(['deploy_keys', 'keys'])('are enabled and disabled below /%s', async (name) => {
    const key = await add(project);
    const second = await trellis.factories.project(owner);
    const path = `/projects/${encodeURIComponent(second.fullPath)}/${name}`;
    const enabled = await trellis
      .as(owner)
      .post(`${path}/${String(key.id)}/enable`)
      .expect(200);
    expect(enabled.body).toEqual(key);
    expect(await idsAt(path)).toEqual([key.id]);
    const disable = () => trellis.as(owner).delete(`${path}/${String(key.id)}/disable`);
    expect((await disable().expect(200)).body).toEqual(key);
    expect((await disable().expect(404)).body).toEqual(ABSENT);
    expect(await idsAt(path)).toEqual([]);
    expect(await idsAt(pathOf(project))).toEqual([key.id]);
  });

  it('of a group are enabled by its masters in other projects', async () => {
    const group = await trellis.factories.group(owner);
    await trellis.factories.addToGroup(group, other, 40);
    const shared = await trellis.factories.project(owner, { namespaceId: group.id });
    const key = await add(shared);
    const foreign = await trellis.factories.project(other);
    await trellis
      .as(other)
      .post(keyPath(foreign, key, '/enable'))
      .expect(200);
    expect(await idsAt(pathOf(foreign), other)).toEqual([key.id]);
  });

  it('are deleted with their last project, at once, and free their fingerprints', async () => {
    const key = await add(project);
    const second = await trellis.factories.project(owner);
    await trellis
      .as(owner)
      .post(keyPath(second, key, '/enable'))
      .expect(200);
    const kept = await add(second);
    await deleteProject(project);
    expect(await isStored(key)).toBe(true);
    expect(await idsAt(pathOf(second))).toEqual([kept.id, key.id]);
    await deleteProject(second);
    for (const gone of [key, kept]) expect(await isStored(gone)).toBe(false);
    await trellis.as(other).post('/user/keys', { title: 'x', key: key.key }).expect(201);

    const group = await trellis.factories.group(owner);
    const projects = [1, 2].map(() => trellis.factories.project(owner, { namespaceId: group.id }));
    const [third, fourth] = (await Promise.all(projects)) as [MadeProject, MadeProject];
    const ofGroup = await add(third);
    await trellis
      .as(owner)
      .post(keyPath(fourth, ofGroup, '/enable'))
      .expect(200);
    await trellis
      .as(owner)
      .delete(`/groups/${String(group.id)}`)
      .expect(200);
    expect(await isStored(ofGroup)).toBe(false);
  });

  it('are deleted in chunks', async () => {
    const kept = await add(project);
    await trellis.rows(
      `WITH made AS (
         INSERT INTO ssh_keys (title, key, fingerprint)
         SELECT 'Many', 'ssh-rsa ' || n, 'many-' || n FROM generate_series(1, 1200) n RETURNING id)
       INSERT INTO deploy_keys_projects (project_id, deploy_key_id) SELECT $1, id FROM made`,
      [project.id],
    );
    const second = await trellis.factories.project(owner);
    await trellis
      .as(owner)
      .post(keyPath(second, kept, '/enable'))
      .expect(200);
    await deleteProject(project);
    const many = () => trellis.rows(`SELECT 1 FROM ssh_keys WHERE title = 'Many'`);
    expect((await many()).length).toBeGreaterThan(0);
    const { signal } = new AbortController();
    await trellis.app
      .get(PurgeProjectJob)
      .handle({ projectId: project.id, storage: 'default' }, { jobId: '1', attempt: 1, signal });
    expect(await many()).toEqual([]);
    expect(await idsAt(pathOf(second))).toEqual([kept.id]);
  });

  it('stay when their creator is deleted, and are not copied to forks', async () => {
    const group = await trellis.factories.group(owner);
    const master = await trellis.factories.user();
    await trellis.factories.addToGroup(group, master, 40);
    const shared = await trellis.factories.project(owner, { namespaceId: group.id });
    const key = await add(shared, newKey(), master);
    await trellis
      .as(admin)
      .delete(`/users/${String(master.user.id)}`)
      .expect(200);
    expect(await idsAt(pathOf(shared))).toEqual([key.id]);
    const fork = await trellis
      .as(owner)
      .post(`/projects/fork/${String(shared.id)}`)
      .expect(200);
    expect(await idsAt(pathOf(fork.body as MadeProject))).toEqual([]);
  });

  it('fire system hooks without `username`', async () => {
    const hook = await QueueingHook.ofInstance(trellis, admin);
    try {
      const payloads = async () => (await hook.queuedEvents()).map(({ body }) => body);
      const key = await add(project);
      const shown = { created_at: key.created_at, updated_at: TIMESTAMP, key: key.key, id: key.id };
      expect(await payloads()).toEqual([{ event_name: 'key_create', ...shown }]);
      const second = await trellis.factories.project(owner);
      await hook.queuedEvents();
      await trellis.as(owner).post(pathOf(second), { title: 'x', key: key.key }).expect(200);
      await trellis.as(owner).delete(keyPath(project, key)).expect(200);
      expect(await payloads()).toEqual([]);
      await trellis.as(owner).delete(keyPath(second, key)).expect(200);
      expect(await payloads()).toEqual([{ event_name: 'key_destroy', ...shown }]);
      const last = await add(project);
      await hook.queuedEvents();
      await deleteProject(project);
      expect(await payloads()).toMatchObject([
        { event_name: 'key_destroy', id: last.id, key: last.key },
        { event_name: 'project_destroy', project_id: project.id },
      ]);
    } finally {
      await trellis.rows('DELETE FROM hooks WHERE project_id IS NULL');
    }
  });

  describe('at the same time', () => {
    it('become one key when added concurrently', async () => {
      const second = await trellis.factories.project(owner);
      const key = newKey();
      const post = (on: MadeProject) => trellis.as(owner).post(pathOf(on), { title: 'x', key });
      const answers = await Promise.all([project, second, project, second].map(post));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      const ids = new Set(answers.map(({ body }) => (body as KeyBody).id));
      expect(ids.size).toBe(1);
      expect([await idsAt(pathOf(project)), await idsAt(pathOf(second))]).toEqual([
        [...ids],
        [...ids],
      ]);
    });

    it('belong to an account or to projects', async () => {
      const key = newKey();
      const [asOwn, asDeploy] = await Promise.all([
        trellis.as(owner).post('/user/keys', { title: 'x', key }),
        trellis.as(owner).post(pathOf(project), { title: 'x', key }),
      ]);
      expect([asOwn.status, asDeploy.status]).toContain(400);
      expect([asOwn.status, asDeploy.status]).not.toEqual([400, 400]);
    });

    it('are either linked or deleted when their last link is removed concurrently', async () => {
      for (let round = 0; round < 12; round += 1) {
        const [from, to] = [
          await trellis.factories.project(owner),
          await trellis.factories.project(owner),
        ];
        const key = await add(from);
        const link =
          round % 2 === 0
            ? trellis.as(owner).post(keyPath(to, key, '/enable'))
            : trellis.as(owner).post(pathOf(to), { title: 'Again', key: key.key });
        const leave =
          round % 3 === 0
            ? trellis.as(owner).delete(`/projects/${String(from.id)}`)
            : trellis.as(owner).delete(keyPath(from, key));
        const [linked, left] = await Promise.all([link, leave]);
        expect(left.status).toBe(200);
        expect(round % 2 === 0 ? [200, 404] : [200]).toContain(linked.status);
        const ids = await idsAt(pathOf(to));
        expect(ids).toEqual(linked.status === 200 ? [(linked.body as KeyBody).id] : []);
        const stored = await trellis.rows<{ id: number }>(
          'SELECT id FROM ssh_keys WHERE key = $1',
          [key.key],
        );
        expect(stored.map(({ id }) => id)).toEqual(ids);
      }
    });

    it('are either linked or deleted when the project is deleted concurrently', async () => {
      for (let round = 0; round < 8; round += 1) {
        const to = await trellis.factories.project(owner);
        const key = newKey();
        const [linked, deleted] = await Promise.all([
          trellis.as(owner).post(pathOf(to), { title: 'x', key }),
          trellis.as(owner).delete(`/projects/${String(to.id)}`),
        ]);
        expect(deleted.status).toBe(200);
        expect([200, 404]).toContain(linked.status);
        expect(await trellis.rows('SELECT 1 FROM ssh_keys WHERE key = $1', [key])).toEqual([]);
      }
    });
  });
});
