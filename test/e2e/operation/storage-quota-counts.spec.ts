import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ProjectMeasurement, StorageQuota } from '../../../src/modules/storage/index.js';
import { hashedFolder } from '../../../src/modules/storage/repositories/hashed-folders.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { Forks } from '../../support/forks.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { commitRandom, growRepository, StoredSizes } from '../../support/stored-sizes.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const LIMIT = 2_000_000;

describe('the usage for PROJECT_MAX_BYTES', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let sizes: StoredSizes;

  beforeAll(async () => {
    trellis = await Trellis.shared({ settings: { PROJECT_MAX_BYTES: String(LIMIT) } });
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
    sizes = new StoredSizes(trellis);
  });
  afterAll(async () => {
    await projects.remove();
    await trellis.restore();
  });

  /** Puts an upload where it belongs without counting it, as a killed process may have. */
  async function leaveUpload({ id }: MadeProject, bytes: number): Promise<void> {
    const root = hashedFolder(path.join(trellis.dataDir, 'uploads'), id);
    const folder = path.join(root, String(id), randomBytes(16).toString('hex'));
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'file.bin'), randomBytes(bytes));
  }

  const unlimited = <T>(work: () => Promise<T>): Promise<T> =>
    trellis.with({ PROJECT_MAX_BYTES: '0' }, work);
  const ref = ({ id }: MadeProject) => ({ id, storage: 'default' });

  it('takes no statement and is not counted without the limit', async () => {
    const { project, executed } = await unlimited(async () => {
      const { project, work, head } = await projects.make();
      const executed = await trellis.statements.during(async () => {
        await commitRandom(work, { branch: 'large', onto: head, bytes: LIMIT });
        expect((await work.push('large')).code).toBe(0);
        expect((await sizes.upload(owner, project, LIMIT)).status).toBe(200);
      });
      return { project, executed };
    });
    expect(executed.filter((sql) => /project_sizes|storage_reservations/.test(sql))).toEqual([]);
    expect(await sizes.counted(project)).toBeNull();
  });

  it('is measured at the first write of a project under the limit', async () => {
    const project = await unlimited(async () => {
      const { project, work, head } = await projects.make();
      await commitRandom(work, { branch: 'large', onto: head, bytes: 1_500_000 });
      expect((await work.push('large')).code).toBe(0);
      return project;
    });
    const answers = await Promise.all([1, 2, 3].map(() => sizes.upload(owner, project, 300_000)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await sizes.counted(project)).toEqual({
      used: await sizes.onDisk(project),
      reserved: 0,
    });
  });

  it('is cleared by housekeeping while there is no limit', async () => {
    const { project } = await projects.make();
    expect(await sizes.counted(project)).not.toBeNull();
    await unlimited(() => sizes.housekeeping(project));
    expect(await sizes.counted(project)).toBeNull();
  });

  it('is reduced by housekeeping, which removes duplicate objects of pushes', async () => {
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

  it('is reduced by the next measurement after files are removed on the disk', async () => {
    const { project } = await projects.make();
    await growRepository(sizes, project, 1_900_000);
    await trellis.app.get(ProjectMeasurement).correct(ref(project));
    expect((await sizes.upload(owner, project, 200_000)).status).toBe(413);
    await growRepository(sizes, project, 1_000);
    await trellis.app.get(ProjectMeasurement).correct(ref(project));
    expect((await sizes.upload(owner, project, 200_000)).status).toBe(200);
  });

  it('includes the reservation of a dead process until its writes are measured', async () => {
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

  it('includes writes during the measurement', async () => {
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

  it('is deleted with the project', async () => {
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
