import { mkdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { ZERO_OID } from '../../../src/git/index.js';
import { PushRecovery } from '../../../src/modules/repository/index.js';
import { ProjectStorage } from '../../../src/modules/storage/index.js';
import { SweepLeftoversJob } from '../../../src/modules/repository/housekeeping/sweep-leftovers.job.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';
import { git } from '../../unit/git/support/workshop.js';

/** A process that ended long ago, or never was. */
const NO_PROCESS = 2 ** 22 + 1;
const DAY_MS = 24 * 60 * 60_000;

describe('the locks of a killed git in a repository', () => {
  let trellis: Trellis;
  let owner: Person;
  let pushed: PushedProjects;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    pushed = new PushedProjects(trellis, owner);
  });
  afterAll(async () => {
    await pushed.remove();
  });

  const recoverAll = (): Promise<void> => trellis.app.get(PushRecovery).recoverAll();
  const folderOf = ({ id }: MadeProject): string =>
    trellis.app.get(ProjectStorage).path({ id, storage: 'default' });
  const inside = (project: MadeProject, ...args: string[]): Promise<string> =>
    git(args, { cwd: folderOf(project) });

  it('do not prevent deletion of branches, even on packed refs', async () => {
    const { project, work } = await pushed.make();
    expect((await work.push('HEAD:refs/heads/packed')).code).toBe(0);
    const folder = folderOf(project);
    await inside(project, 'pack-refs', '--all');
    const oldOid = await inside(project, 'rev-parse', 'packed');
    const updates = [{ ref: 'refs/heads/packed', oldOid, newOid: ZERO_OID }];
    const left = ['packed-refs.new', 'packed-refs.lock'].map((name) => path.join(folder, name));
    const kill = async () => {
      await trellis.rows(
        `INSERT INTO push_intents (project_id, user_id, updates, host, pid)
          VALUES ($1, $2, $3, $4, $5)`,
        [project.id, owner.user.id, JSON.stringify(updates), hostname(), NO_PROCESS],
      );
      for (const file of left) await writeFile(file, '');
    };
    await kill();
    // Housekeeping may be writing all refs anew, however long that takes it.
    await writeFile(
      path.join(folder, 'housekeeping.lock'),
      `${String(process.ppid)} ${hostname()}`,
    );
    await recoverAll();
    for (const file of left) await stat(file);
    await rm(path.join(folder, 'housekeeping.lock'));
    await kill();
    await recoverAll();
    for (const file of left) await expect(stat(file)).rejects.toThrow('ENOENT');
    expect(await work.push(':refs/heads/packed')).toMatchObject({ code: 0 });
  });

  it('are removed daily, also without pushes', async () => {
    const quiet = await pushed.make();
    const gone = await pushed.make();
    const objects = path.join(folderOf(quiet.project), 'objects');
    const left = path.join(objects, 'pack', 'tmp_pack_left');
    const living = path.join(objects, 'tmp_objdir-incoming-living', 'pack');
    await writeFile(left, '');
    await mkdir(living, { recursive: true });
    const before = new Date(Date.now() - DAY_MS - 60_000);
    await utimes(left, before, before);
    await trellis.git.removeRepository(folderOf(gone.project));
    const { signal } = new AbortController();
    await trellis.app.get(SweepLeftoversJob).handle({}, { signal, jobId: '1', attempt: 1 });
    await expect(stat(left)).rejects.toThrow('ENOENT');
    await stat(living);
    await inside(quiet.project, 'fsck', '--strict');
  });
});
