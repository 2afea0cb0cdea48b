import { ProjectStorage } from '../../../src/modules/storage/index.js';
import { BranchWork } from '../../support/branch-work.js';
import type { Person } from '../../support/factories.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { shortenSnapshots, snapshotsEnd } from '../../support/snapshots.js';
import { Trellis } from '../../support/trellis.js';
import { git } from '../../unit/git/support/workshop.js';

jest.setTimeout(120_000);

interface CommitBody {
  id: string;
  status: string | null;
}

interface BranchBody {
  name: string;
  commit: { id: string };
  protected: boolean;
  merged: boolean;
}

/** What one process answers again and again, while others change what it is about. */
describe('repeated reads of a repository', () => {
  let trellis: Trellis;
  let other: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let pushed: PushedProject;
  let branchWork: BranchWork;
  let base: string;
  let second: string;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    other = await Trellis.start({ because: 'another process', beside: trellis });
    owner = await trellis.factories.user();
    projects = new PushedProjects(trellis, owner);
  });
  afterAll(async () => {
    await projects.remove();
    await other.stop();
  });

  beforeEach(async () => {
    pushed = await projects.make();
    base = `/projects/${String(pushed.project.id)}/repository`;
    branchWork = new BranchWork(trellis, pushed.project, owner);
    second = await branchWork.commit('master', pushed.head);
    await warmUp();
  });
  afterEach(() => trellis.restore());

  async function read<T>(path: string, through = trellis): Promise<T> {
    return (await through.as(owner).get(`${base}${path}`).expect(200)).body as T;
  }

  const ids = async () => (await read<CommitBody[]>('/commits')).map(({ id }) => id);
  const master = () => read<CommitBody>('/commits/master');
  const branches = () => read<BranchBody[]>('/branches');
  const diff = () => read<{ diff: string }[]>('/commits/master/diff');

  async function warmUp(): Promise<void> {
    for (let time = 0; time < 2; time += 1) {
      expect(await ids()).toEqual([second, pushed.head]);
      expect(await master()).toMatchObject({ id: second, status: null });
      expect(await branches()).toMatchObject([{ name: 'master', commit: { id: second } }]);
      expect(await diff()).toHaveLength(1);
    }
  }

  it('show refs that git moves in the folder, after a second', async () => {
    const { id } = pushed.project;
    const cwd = trellis.app.get(ProjectStorage).path({ id, storage: 'default' });
    shortenSnapshots(trellis);
    await git(['update-ref', 'refs/heads/master', pushed.head], { cwd });
    await git(['branch', 'side', second], { cwd });
    await snapshotsEnd();
    expect(await ids()).toEqual([pushed.head]);
    expect((await master()).id).toBe(pushed.head);
    expect(await branches()).toMatchObject([
      { name: 'master', commit: { id: pushed.head }, merged: true },
      { name: 'side', commit: { id: second }, merged: false },
    ]);
    await git(['pack-refs', '--all'], { cwd });
    expect(await branches()).toHaveLength(2);
    await git(['branch', '-D', 'side'], { cwd });
    await snapshotsEnd();
    expect(await branches()).toHaveLength(1);
  });

  it('show pushes through another process', async () => {
    const path = '/files';
    const file = { file_path: 'new.txt', branch_name: 'master', content: 'x', commit_message: 'x' };
    await other.as(owner).post(`${base}${path}`, file).expect(200);
    const [newest] = await read<CommitBody[]>('/commits', other);
    expect((await ids())[0]).toBe(newest?.id);
    expect((await master()).id).toBe(newest?.id);
    expect((await branches())[0]?.commit.id).toBe(newest?.id);
    expect((await diff())[0]?.diff).toContain('+x');
  });

  it('show statuses posted to another process', async () => {
    const statuses = `/projects/${String(pushed.project.id)}/statuses/${second}`;
    for (const state of ['pending', 'running', 'failed']) {
      await other.as(owner).post(statuses, { state, ref: 'master' }).expect(200);
      expect((await master()).status).toBe(state);
      const [newest, oldest] = await read<CommitBody[]>('/commits');
      expect([newest?.status, oldest?.status]).toEqual([state, null]);
    }
  });

  it('show protections changed by another process', async () => {
    const isProtected = async () => [
      (await branches())[0]?.protected,
      (await read<BranchBody>('/branches/master')).protected,
    ];
    expect(await isProtected()).toEqual([true, true]);
    await other.as(owner).put(`${base}/branches/master/unprotect`, {}).expect(200);
    expect(await isProtected()).toEqual([false, false]);
    await other.as(owner).put(`${base}/branches/master/protect`, {}).expect(200);
    expect(await isProtected()).toEqual([true, true]);
  });

  it('show a changed default branch', async () => {
    await branchWork.push(`${pushed.head}:refs/heads/side`);
    const merged = async () => (await branches()).map(({ name, merged: is }) => [name, is]);
    expect(await merged()).toEqual([
      ['master', true],
      ['side', true],
    ]);
    const project = `/projects/${String(pushed.project.id)}`;
    await other.as(owner).put(project, { default_branch: 'side' }).expect(200);
    expect(await merged()).toEqual([
      ['master', false],
      ['side', true],
    ]);
    expect(await ids()).toEqual([pushed.head]);
  });

  it('take no process and one statement more than their guards', async () => {
    const answers = [ids, master, branches, diff];
    const guards = await trellis.statements.during(() => read('/tags'));
    for (const answer of answers) {
      const spawned = trellis.git.spawnCount;
      const statements = await trellis.statements.during(answer);
      expect(statements.length).toBeLessThanOrEqual(guards.length + 1);
      expect(trellis.git.spawnCount).toBe(spawned);
    }
  });

  it('return the same to concurrent requests', async () => {
    const both = await projects.make();
    const elsewhere = `/projects/${String(both.project.id)}/repository/commits`;
    const status = `/projects/${String(both.project.id)}/statuses/${both.head}`;
    await trellis.as(owner).post(status, { state: 'success', ref: 'master' }).expect(200);
    const asked = Array.from({ length: 12 }, async (_, n) => {
      const path = n % 2 === 0 ? `${base}/commits` : elsewhere;
      return (await trellis.as(owner).get(path).expect(200)).body as CommitBody[];
    });
    for (const [n, commits] of (await Promise.all(asked)).entries()) {
      const shown = commits.map(({ id, status: state }) => [id, state]);
      const here = [
        [second, null],
        [pushed.head, null],
      ];
      expect(shown).toEqual(n % 2 === 0 ? here : [[both.head, 'success']]);
    }
  });
});
