import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import request from 'supertest';
import { SettingsService } from '../../../src/modules/settings/index.js';
import { ProjectStorage } from '../../../src/modules/storage/index.js';
import { type MadeProject, type Person, unique } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

describe('the effects of settings', () => {
  let folder: string;
  let trellis: Trellis;
  let admin: Person;
  let person: Person;
  let project: MadeProject;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'trellis-storages-'));
    const settings = { REPOSITORY_STORAGES: `fast=${folder}/fast, slow=${folder}/slow` };
    trellis = await Trellis.shared({ settings });
    admin = await trellis.factories.admin();
    person = await trellis.factories.user({ projectsLimit: 1000 });
    project = await trellis.factories.project(person);
  });
  afterEach(async () => {
    await trellis.rows('DELETE FROM application_settings');
    await trellis.rows('INSERT INTO application_settings (id) VALUES (1)');
  });
  afterAll(async () => {
    await trellis.restore();
    await rm(folder, { recursive: true });
  });

  const set = (settings: object) =>
    trellis.as(admin).put('/application/settings', settings).expect(200);
  const advertise = (of: MadeProject, service = 'git-upload-pack') =>
    request(trellis.url).get(`/${of.fullPath}.git/info/refs?service=${service}`);

  describe('signin_enabled', () => {
    const signIn = ({ user, password }: Person) =>
      trellis.anonymous.post('/session', { login: user.username, password });
    const cloneWith = ({ user }: Person, secret: string) =>
      advertise(project).auth(user.username, secret);

    it('false refuses passwords of all users except administrators, at once', async () => {
      await signIn(person).expect(200);
      await cloneWith(person, person.password).expect(200);
      await set({ signin_enabled: false });
      await signIn(person).expect(401, { message: '401 Unauthorized' });
      const refused = await cloneWith(person, person.password).expect(401);
      expect(refused.text).toBe('HTTP Basic: Access denied');
      await signIn(admin).expect(200);
      await cloneWith(admin, admin.password).expect(200);
      await cloneWith(admin, admin.password).expect(200);
      await set({ signin_enabled: true });
      await signIn(person).expect(200);
      await cloneWith(person, person.password).expect(200);
    });

    it('false does not affect tokens', async () => {
      await set({ signin_enabled: false });
      await trellis.as(person).get('/user').expect(200);
      await trellis.as(admin).get(`/user?sudo=${person.user.username}`).expect(200);
      await cloneWith(person, person.token).expect(200);
    });
  });

  describe('enabled_git_access_protocol', () => {
    const SERVICES = ['git-upload-pack', 'git-receive-pack'];

    it('ssh refuses Git over HTTP to all users, for every path', async () => {
      await set({ enabled_git_access_protocol: 'ssh' });
      const absent = { ...project, fullPath: `${person.user.username}/absent` };
      const calls = [project, absent].flatMap((asked) =>
        SERVICES.flatMap((service) => [
          advertise(asked, service),
          advertise(asked, service).auth(person.user.username, person.token),
          advertise(asked, service).auth(person.user.username, 'wrong'),
          request(trellis.url)
            .post(`/${asked.fullPath}.git/${service}`)
            .auth(admin.user.username, admin.token),
        ]),
      );
      for (const call of calls) {
        const answer = await call.expect(403);
        expect(answer.text).toBe('Git access over HTTP is not allowed');
        expect(answer.headers['content-type']).toMatch(/^text\/plain/);
      }
    });

    it('ssh does not affect the API, and both addresses stay listed', async () => {
      await set({ enabled_git_access_protocol: 'ssh' });
      const id = String(project.id);
      const answer = await trellis.as(person).get(`/projects/${id}`).expect(200);
      expect(answer.body).toMatchObject({
        ssh_url_to_repo: expect.stringContaining(project.fullPath),
        http_url_to_repo: expect.stringContaining(project.fullPath),
      });
      await trellis.as(person).get(`/projects/${id}/repository/branches`).expect(200);
    });

    it.each(['http', null, ''])('%j allows Git over HTTP', async (protocol) => {
      await set({ enabled_git_access_protocol: protocol });
      for (const service of SERVICES) {
        await advertise(project, service).auth(person.user.username, person.token).expect(200);
      }
    });

    it('adds one statement to Git over HTTP', async () => {
      const clone = () => advertise(project).auth(person.user.username, person.token).expect(200);
      const statements = await trellis.statements.during(clone);
      const asked = statements.filter((sql) => /FROM application_settings s WHERE/.test(sql));
      expect(asked).toHaveLength(1);
    });
  });

  describe('repository_storages', () => {
    const storage = () => trellis.app.get(ProjectStorage);

    it('are the folders for new projects', async () => {
      await set({ repository_storages: ['fast', 'slow'] });
      const made = await Promise.all(
        Array.from({ length: 24 }, () => trellis.factories.project(person)),
      );
      const rows = await trellis.rows<{ id: number; storage: string }>(
        'SELECT id, storage FROM projects WHERE id = ANY($1)',
        [made.map(({ id }) => id)],
      );
      expect(new Set(rows.map((row) => row.storage))).toEqual(new Set(['fast', 'slow']));
      for (const row of rows) {
        const repository = storage().repository(row);
        expect(repository.path.startsWith(path.join(folder, row.storage))).toBe(true);
        expect(await repository.isEmpty()).toBe(true);
      }
    });

    it('are used at once, and only while they are listed', async () => {
      const placed = async (): Promise<unknown> => {
        const { id } = await trellis.factories.project(person, { name: unique() });
        const [row] = await trellis.rows('SELECT storage FROM projects WHERE id = $1', [id]);
        return row?.['storage'];
      };
      expect(await placed()).toBe('default');
      await set({ repository_storage: 'slow' });
      expect(await placed()).toBe('slow');
      await set({ repository_storages: null });
      expect(await placed()).toBe('default');
    });

    it('are skipped when they are no longer configured', () => {
      const chosen = (...names: string[]) =>
        new Set(Array.from({ length: 50 }, () => storage().choose(names)));
      expect(chosen('fast', 'gone')).toEqual(new Set(['fast']));
      expect(chosen('gone')).toEqual(new Set(['default']));
      expect(chosen()).toEqual(new Set(['default']));
      expect(chosen('fast', 'slow', 'default')).toEqual(new Set(['fast', 'slow', 'default']));
    });

    it('serve Git and the API like the default one, and lose their data with their projects', async () => {
      await set({ repository_storage: 'fast' });
      const made = await trellis.factories.project(person);
      await advertise(made).auth(person.user.username, person.token).expect(200);
      await trellis
        .as(person)
        .get(`/projects/${String(made.id)}/repository/branches`)
        .expect(200, []);
      const stored = { id: made.id, storage: 'fast' };
      expect(await readdir(path.dirname(storage().path(stored)))).toEqual([
        `${String(made.id)}.git`,
      ]);
      await storage().remove(stored);
      expect(await storage().repository(stored).exists()).toBe(false);
    });

    it('are all part of the readiness check', async () => {
      const ready = () => request(trellis.url).get('/readyz');
      await trellis.untilReady();
      const root = path.join(folder, 'slow');
      await rename(root, `${root}-aside`);
      try {
        await ready().expect(503, {
          status: 'unavailable',
          failing: ['storage'],
          storages: ['slow'],
          reasons: { slow: 'there is no such folder' },
        });
      } finally {
        await rename(`${root}-aside`, root);
      }
      await trellis.untilReady();
    });
  });

  describe('a change', () => {
    it('takes effect at once in every process', async () => {
      const other = await Trellis.start({ because: 'another process', beside: trellis });
      try {
        const clone = () =>
          request(other.url)
            .get(`/${project.fullPath}.git/info/refs?service=git-receive-pack`)
            .auth(person.user.username, person.password);
        await clone().expect(200);
        await set({ signin_enabled: false });
        await clone().expect(401);
        await set({ signin_enabled: true, enabled_git_access_protocol: 'ssh' });
        await clone().expect(403);
        await other
          .as(admin)
          .put('/application/settings', { enabled_git_access_protocol: null })
          .expect(200);
        await advertise(project).auth(person.user.username, person.password).expect(200);
        const current = await trellis.app.get(SettingsService).current();
        expect(current.enabledGitAccessProtocol).toBeNull();
      } finally {
        await other.stop();
      }
    });
  });
});
