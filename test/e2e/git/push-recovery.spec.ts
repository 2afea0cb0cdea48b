import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { ZERO_OID } from '../../../src/git/index.js';
import { RemoveOrphanedRepositoriesJob } from '../../../src/modules/projects/lifecycle/deletion/remove-orphaned-repositories.job.js';
import { PushRecovery } from '../../../src/modules/repository/index.js';
import { ProjectStorage } from '../../../src/modules/storage/index.js';
import { loadConfig } from '../../../src/platform/config/index.js';
import { createApplication } from '../../../src/bootstrap/application.js';
import { openGround } from '../../../src/bootstrap/ground.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';
import { git } from '../../unit/git/support/workshop.js';

jest.setTimeout(120_000);

/** First key of the advisory locks under which refs are moved. */
const PUSH_LOCK = 7_265_002;
/** A process that ended long ago, or never was. */
const NO_PROCESS = 2 ** 22 + 1;
const TWO_HOURS_MS = 2 * 60 * 60_000;

interface Update {
  ref: string;
  oldOid: string;
  newOid: string;
}

describe('recovery after a crash', () => {
  let trellis: Trellis;
  let owner: Person;
  let pushed: PushedProjects;

  beforeAll(async () => {
    trellis = await Trellis.start({ because: 'end of a process' });
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    pushed = new PushedProjects(trellis, owner);
  });
  afterAll(async () => {
    await pushed.remove();
    await trellis.stop();
  });

  const recoverAll = (): Promise<void> => trellis.app.get(PushRecovery).recoverAll();
  const folderOf = ({ id }: MadeProject): string =>
    trellis.app.get(ProjectStorage).path({ id, storage: 'default' });
  const inside = (project: MadeProject, ...args: string[]): Promise<string> =>
    git(args, { cwd: folderOf(project) });
  const databaseUrl = (): string => (trellis.dataSource.options as { url?: string }).url ?? '';

  const events = ({ id }: MadeProject, ref: string) =>
    trellis.rows<{ action: string; after: string; author: number }>(
      `SELECT action, pushed_ref->>'newOid' AS after, author_id AS author FROM events
        WHERE project_id = $1 AND pushed_ref->>'ref' = $2 ORDER BY id`,
      [id, ref],
    );
  const jobs = ({ id }: MadeProject) =>
    trellis.rows(
      `SELECT 1 FROM outbox WHERE name = 'tidy-repository' AND (payload->>'projectId')::int = $1`,
      [id],
    );
  const intents = ({ id }: MadeProject) =>
    trellis.rows('SELECT 1 FROM push_intents WHERE project_id = $1', [id]);

  /** What a push writes down before git may act on it. */
  async function intend(project: MadeProject, updates: Update[], pid = NO_PROCESS): Promise<void> {
    await trellis.rows(
      `INSERT INTO push_intents (project_id, user_id, updates, host, pid)
        VALUES ($1, $2, $3, $4, $5)`,
      [project.id, owner.user.id, JSON.stringify(updates), hostname(), pid],
    );
  }

  /** A commit that is in the repository, as after git took in a push. */
  async function commitIn(project: MadeProject, message: string): Promise<string> {
    const tree = await inside(project, 'rev-parse', 'master^{tree}');
    return inside(project, 'commit-tree', tree, '-p', 'master', '-m', message);
  }

  async function secondApplication() {
    const config = loadConfig(trellis.sharedEnvironment);
    const ground = await openGround(config, databaseUrl(), pino({ level: 'silent' }));
    const options = { runsJobs: false, packageRoot: process.cwd() };
    const { app } = await createApplication(ground, options);
    return {
      recovery: app.get(PushRecovery),
      close: async () => {
        await app.close();
        await ground.git.close();
      },
    };
  }

  it('records the refs that git has moved, once for concurrent recoveries', async () => {
    const { project } = await pushed.make();
    // As if the first push's job had run.
    await trellis.rows('DELETE FROM outbox');
    const moved = await commitIn(project, 'Moved');
    const lost = await commitIn(project, 'Lost');
    await inside(project, 'update-ref', 'refs/heads/moved', moved);
    const update = { ref: 'refs/heads/moved', oldOid: ZERO_OID, newOid: moved };
    await intend(project, [update, { ...update, ref: 'refs/heads/behind' }]);
    await intend(project, [{ ref: 'refs/heads/lost', oldOid: ZERO_OID, newOid: lost }]);

    const second = await secondApplication();
    try {
      await Promise.all([recoverAll(), second.recovery.recoverAll(), recoverAll()]);
      await second.recovery.recoverAll();
      await recoverAll();
    } finally {
      await second.close();
    }

    expect(await events(project, 'refs/heads/moved')).toEqual([
      { action: 'pushed new', after: moved, author: owner.user.id },
    ]);
    expect(await events(project, 'refs/heads/behind')).toEqual([]);
    expect(await events(project, 'refs/heads/lost')).toEqual([]);
    expect(await intents(project)).toEqual([]);
    expect(await jobs(project)).toHaveLength(1);
    const branches = await trellis.as(owner).get(`/projects/${project.id}/repository/branches`);
    expect((branches.body as { name: string }[]).map(({ name }) => name)).toEqual([
      'master',
      'moved',
    ]);
  });

  it('sets the default branch', async () => {
    const { project, work } = await pushed.make();
    await trellis.rows('UPDATE projects SET default_branch = NULL WHERE id = $1', [project.id]);
    await trellis.rows('DELETE FROM protected_branches WHERE project_id = $1', [project.id]);
    const head = await work.git('rev-parse', 'HEAD');
    await intend(project, [{ ref: 'refs/heads/master', oldOid: ZERO_OID, newOid: head }]);
    await recoverAll();
    const answer = await trellis.as(owner).get(`/projects/${project.id}`).expect(200);
    expect(answer.body).toMatchObject({ default_branch: 'master' });
    const branch = await trellis
      .as(owner)
      .get(`/projects/${project.id}/repository/branches/master`);
    expect(branch.body).toMatchObject({ protected: true });
  });

  it('precedes the checks of the next push to the project', async () => {
    const { project, work } = await pushed.make();
    const moved = await commitIn(project, 'Moved');
    await inside(project, 'update-ref', 'refs/heads/moved', moved);
    await intend(project, [{ ref: 'refs/heads/moved', oldOid: ZERO_OID, newOid: moved }]);
    await work.commit('Next');
    expect((await work.push('HEAD:refs/heads/next')).code).toBe(0);
    const order = await trellis.rows<{ ref: string }>(
      `SELECT pushed_ref->>'ref' AS ref FROM events
        WHERE project_id = $1 AND pushed_ref IS NOT NULL ORDER BY id`,
      [project.id],
    );
    expect(order.map(({ ref }) => ref)).toEqual([
      'refs/heads/master',
      'refs/heads/moved',
      'refs/heads/next',
    ]);
    expect(await intents(project)).toEqual([]);
  });

  it('ignores running pushes', async () => {
    const { project } = await pushed.make();
    const moved = await commitIn(project, 'Moved');
    await inside(project, 'update-ref', 'refs/heads/moved', moved);
    await intend(project, [{ ref: 'refs/heads/moved', oldOid: ZERO_OID, newOid: moved }]);
    const live = new pg.Client({ connectionString: databaseUrl() });
    await live.connect();
    try {
      await live.query('SELECT pg_advisory_lock($1, $2)', [PUSH_LOCK, project.id]);
      await recoverAll();
      expect(await intents(project)).toHaveLength(1);
      expect(await events(project, 'refs/heads/moved')).toEqual([]);
    } finally {
      await live.end();
    }
    await recoverAll();
    expect(await events(project, 'refs/heads/moved')).toHaveLength(1);
  });

  it('terminates the git process first', async () => {
    const { project } = await pushed.make();
    const moved = await commitIn(project, 'Moved');
    const args = ['receive-pack', '--stateless-rpc', folderOf(project)];
    const orphan: ChildProcess = spawn('git', args, { stdio: ['pipe', 'ignore', 'ignore'] });
    const ended = once(orphan, 'exit');
    await intend(
      project,
      [{ ref: 'refs/heads/moved', oldOid: ZERO_OID, newOid: moved }],
      orphan.pid,
    );
    await recoverAll();
    expect(await intents(project)).toEqual([]);
    const [code] = (await ended) as [number | null];
    expect(code).toBeNull();
  });

  it('spares an unrelated process with the same PID', async () => {
    const { project } = await pushed.make();
    const other = spawn('sleep', ['600'], { stdio: 'ignore' });
    try {
      const update = { ref: 'refs/heads/none', oldOid: ZERO_OID, newOid: '1'.repeat(40) };
      await intend(project, [update], other.pid);
      await recoverAll();
      expect(await intents(project)).toEqual([]);
      expect(other.exitCode ?? other.signalCode).toBeNull();
    } finally {
      other.kill('SIGKILL');
    }
  });

  it('removes repositories without a project', async () => {
    const { project } = await pushed.make();
    const [row] = await trellis.rows<{ id: number }>(
      `SELECT nextval(pg_get_serial_sequence('projects', 'id'))::int AS id`,
    );
    const orphan = { id: row?.id ?? 0, storage: 'default' };
    const storage = trellis.app.get(ProjectStorage);
    await storage.create(orphan);
    const drafts = ['creating', 'removing'].map(
      (what) => `${storage.path(orphan)}.${what}-00000000-0000-4000-8000-000000000000`,
    );
    for (const draft of drafts) await mkdir(draft);
    const exists = (folder: string): Promise<boolean> =>
      stat(folder).then(
        () => true,
        () => false,
      );
    const all = [storage.path(orphan), ...drafts, folderOf(project)];
    const sweep = trellis.app.get(RemoveOrphanedRepositoriesJob);

    await sweep.handle();
    expect(await Promise.all(all.map(exists))).toEqual([true, true, true, true]);
    const later = Date.now() + TWO_HOURS_MS;
    const clock = jest.spyOn(Date, 'now').mockReturnValue(later);
    try {
      await sweep.handle();
    } finally {
      clock.mockRestore();
    }
    expect(await Promise.all(all.map(exists))).toEqual([false, false, false, true]);
  });

  it('removes the lock of a ref that a killed git held', async () => {
    const { project, work } = await pushed.make();
    const newOid = await work.commit('Again');
    await intend(project, [{ ref: 'refs/heads/held', oldOid: ZERO_OID, newOid }]);
    await writeFile(path.join(folderOf(project), 'refs', 'heads', 'held.lock'), '');
    await recoverAll();
    const { code, stderr } = await work.push('HEAD:refs/heads/held');
    expect(stderr).not.toContain('held.lock');
    expect(code).toBe(0);
  });
});
