import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ProjectMeasurement, StorageQuota } from '../../../src/modules/projects/index.js';
import { hashedFolder } from '../../../src/modules/projects/storage/hashed-folders.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { Forks } from '../../support/forks.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { commitRandom, growRepository, StoredSizes } from '../../support/stored-sizes.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const LIMIT = 2_000_000;

describe('what counts towards PROJECT_MAX_BYTES', () => {
  let unlimited: Trellis;
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let sizes: StoredSizes;

  beforeAll(async () => {
    unlimited = await Trellis.start();
    trellis = await Trellis.start({ env: { PROJECT_MAX_BYTES: String(LIMIT) }, beside: unlimited });
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
    sizes = new StoredSizes(trellis);
  });
  afterAll(async () => {
    await projects.remove();
    await trellis.stop();
    await unlimited.stop();
  });

  /** Puts an upload where it belongs without counting it, as a killed process may have. */
  async function leaveUpload({ id }: MadeProject, bytes: number): Promise<void> {
    const root = hashedFolder(path.join(trellis.dataDir, 'uploads'), id);
    const folder = path.join(root, String(id), randomBytes(16).toString('hex'));
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'file.bin'), randomBytes(bytes));
  }

  const ref = ({ id }: MadeProject) => ({ id, storage: 'default' });

  it('costs no statement and counts nothing without the limit', async () => {
    const free = new PushedProjects(unlimited, owner);
    const { project, work, head } = await free.make();
    const executed = await unlimited.statements.during(async () => {
      await commitRandom(work, { branch: 'large', onto: head, bytes: LIMIT });
      expect((await work.push('large')).code).toBe(0);
      expect((await new StoredSizes(unlimited).upload(owner, project, LIMIT)).status).toBe(200);
    });
    await free.remove();
    expect(executed.filter((sql) => /project_sizes|storage_reservations/.test(sql))).toEqual([]);
    expect(await sizes.counted(project)).toBeNull();
  });

  it('is measured when a project first stores something under the limit', async () => {
    const free = new PushedProjects(unlimited, owner);
    const { project, work, head } = await free.make();
    await commitRandom(work, { branch: 'large', onto: head, bytes: 1_500_000 });
    expect((await work.push('large')).code).toBe(0);
    await free.remove();
    const answers = await Promise.all([1, 2, 3].map(() => sizes.upload(owner, project, 300_000)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await sizes.counted(project)).toEqual({
      used: await sizes.onDisk(project),
      reserved: 0,
    });
  });

  it('is forgotten by housekeeping while there is no limit', async () => {
    const { project } = await projects.make();
    expect(await sizes.counted(project)).not.toBeNull();
    await new StoredSizes(unlimited).housekeeping(project);
    expect(await sizes.counted(project)).toBeNull();
  });

  it('becomes less by housekeeping, which stores once what pushes have stored again', async () => {
    const { project, work } = await projects.make();
    const text = randomBytes(400_000).toString('latin1');
    let refusals = 0;
    for (let version = 1; refusals === 0 && version < 12; version += 1) {
      await writeFile(path.join(work.folder, 'data.bin'), `${text}${String(version)}`, 'latin1');
      await work.commit(`Version ${String(version)}`);
      if ((await work.push('HEAD:refs/heads/master')).code !== 0) refusals += 1;
    }
    expect(refusals).toBe(1);
    await sizes.housekeeping(project);
    expect(await sizes.counted(project)).toEqual({
      used: await sizes.onDisk(project),
      reserved: 0,
    });
    expect((await work.push('HEAD:refs/heads/master')).code).toBe(0);
  });

  it('becomes less when files are removed on the disk, from the next measurement on', async () => {
    const { project } = await projects.make();
    await growRepository(sizes, project, 1_900_000);
    await trellis.app.get(ProjectMeasurement).correct(ref(project));
    expect((await sizes.upload(owner, project, 200_000)).status).toBe(413);
    await growRepository(sizes, project, 1_000);
    await trellis.app.get(ProjectMeasurement).correct(ref(project));
    expect((await sizes.upload(owner, project, 200_000)).status).toBe(200);
  });

  it('includes what a process has reserved that died, until it is known what it has stored', async () => {
    const project = await trellis.factories.project(owner);
    const quota = trellis.app.get(StorageQuota);
    await quota.reserve(ref(project), 'uploads', 1_500_000);
    await leaveUpload(project, 700_000);
    expect((await sizes.upload(owner, project, 600_000)).status).toBe(413);
    await sizes.settleReservations();
    expect((await sizes.upload(owner, project, 600_000)).status).toBe(413);
    const expire = `UPDATE storage_reservations SET expires_at = now() WHERE project_id = $1`;
    await trellis.rows(expire, [project.id]);
    expect((await sizes.upload(owner, project, 600_000)).status).toBe(413);
    await sizes.settleReservations();
    expect((await sizes.upload(owner, project, 600_000)).status).toBe(200);
    expect((await sizes.upload(owner, project, 800_000)).status).toBe(413);
    expect(await sizes.counted(project)).toEqual({
      used: await sizes.onDisk(project),
      reserved: 0,
    });
  });

  it('keeps what writers add while it is measured', async () => {
    const { project } = await projects.make();
    const measurement = trellis.app.get(ProjectMeasurement);
    await Promise.all([
      ...Array.from({ length: 6 }, () => sizes.upload(owner, project, 200_000)),
      ...Array.from({ length: 6 }, () => measurement.correct(ref(project))),
    ]);
    const counted = await sizes.counted(project);
    expect(counted?.reserved).toBe(0);
    expect(counted?.used).toBeGreaterThanOrEqual(await sizes.onDisk(project));
    await measurement.correct(ref(project));
    expect((await sizes.counted(project))?.used).toBe(await sizes.onDisk(project));
  });

  it('goes with the project', async () => {
    const { project } = await projects.make();
    await trellis.app.get(StorageQuota).reserve(ref(project), 'uploads', 1_000);
    await trellis
      .as(owner)
      .delete(`/projects/${String(project.id)}`)
      .expect(200);
    await new Forks(trellis).purge(project);
    expect(await sizes.counted(project)).toBeNull();
    expect(
      await trellis.rows('SELECT 1 FROM storage_reservations WHERE project_id = $1', [project.id]),
    ).toEqual([]);
  });
});
