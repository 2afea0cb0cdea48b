/** @operation */
import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { examine } from '../../../src/cli/doctor/doctor.js';
import { probeDisk } from '../../../src/platform/monitoring/index.js';
import { type Finding, Fsck } from '../../../src/cli/maintenance/fsck.js';
import { holdHousekeepingLock } from '../../../src/git/storage/housekeeping-lock.js';
import { selectProjects } from '../../../src/cli/maintenance/selection.js';
import { ProjectStorage } from '../../../src/modules/storage/index.js';
import { loadConfig } from '../../../src/platform/config/index.js';
import { runCommand, runJson } from '../../support/commands.js';
import type { Person } from '../../support/factories.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

describe('trellis fsck and housekeeping', () => {
  let trellis: Trellis;
  let env: Record<string, string>;
  let owner: Person;
  let pushed: PushedProjects;

  beforeAll(async () => {
    trellis = await Trellis.start({ because: 'state of the instance' });
    env = trellis.sharedEnvironment;
    owner = await trellis.factories.user();
    pushed = new PushedProjects(trellis, owner);
  });

  afterAll(async () => {
    await pushed.remove();
    await trellis.stop();
  });

  const storage = (): ProjectStorage => trellis.app.get(ProjectStorage);
  const folderOf = ({ project }: PushedProject): string =>
    storage().path({ id: project.id, storage: 'default' });

  /** Checks projects; every exit code has to fit what was found. */
  async function fsck(...args: string[]): Promise<Finding[]> {
    const { code, output, failure } = await runCommand(['fsck', ...args, '--json'], env);
    if (failure !== undefined) throw new Error(failure);
    const findings = JSON.parse(output) as Finding[];
    expect(code).toBe(findings.some(({ state }) => state === 'found') ? 3 : 0);
    return findings;
  }

  /** A project with a merge request, which has one version. */
  async function withMergeRequest(): Promise<PushedProject & { topic: string }> {
    const made = await pushed.make();
    const topic = await made.work.commit('Second commit', 'topic.txt');
    await made.work.push('HEAD:refs/heads/topic');
    await trellis
      .as(owner)
      .post(`/projects/${made.project.id}/merge_requests`)
      .send({ source_branch: 'topic', target_branch: 'master', title: 'Topic' })
      .expect(200);
    return { ...made, topic };
  }

  it('requires names or --all', async () => {
    for (const args of [['fsck'], ['fsck', 'a/b', '--all'], ['housekeeping']]) {
      expect((await runCommand(args, env)).failure).toContain('name projects by path or id');
    }
    const { failure } = await runCommand(['fsck', 'no/such'], env);
    expect(failure).toBe('There is no project no/such.');
  });

  it('reports no problem for a sound instance', async () => {
    const { project } = await withMergeRequest();
    expect(await fsck(project.fullPath, String(project.id))).toEqual([]);
    expect(await fsck('--all')).toEqual([]);
    expect((await runCommand(['fsck', '--all'], env)).output).toBe('Nothing is wrong.\n');
  });

  it('checks projects in their current state', async () => {
    const { project, work } = await pushed.make();
    await work.push('HEAD:refs/heads/other');
    const before = await selectProjects(trellis.app, [project.fullPath]);
    const change = () => trellis.as(owner).put(`/projects/${project.id}`);
    await change().send({ default_branch: 'other' }).expect(200);
    expect(await new Fsck(trellis.app, false).checkProjects(before, () => undefined)).toEqual([]);
    await change().send({ default_branch: 'master' }).expect(200);
  });

  it('repairs HEAD', async () => {
    const made = await pushed.make();
    await writeFile(path.join(folderOf(made), 'HEAD'), 'ref: refs/heads/other\n');
    const finding = {
      project: made.project.fullPath,
      name: 'head',
      detail: 'HEAD is other, the default branch is master',
    };
    expect(await fsck(made.project.fullPath)).toEqual([{ ...finding, state: 'found' }]);
    expect(await fsck(made.project.fullPath, '--repair')).toEqual([
      { ...finding, state: 'repaired' },
    ]);
    expect(await fsck(made.project.fullPath)).toEqual([]);
  });

  it('recreates missing refs that keep commits of merge requests', async () => {
    const made = await withMergeRequest();
    const refs = path.join(folderOf(made), 'refs', 'keep-around');
    expect((await readdir(refs)).sort()).toEqual([made.head, made.topic].sort());
    await rm(refs, { recursive: true });
    const found = await fsck(made.project.fullPath);
    expect(found.map(({ name, state }) => [name, state])).toEqual([
      ['keep-around', 'found'],
      ['keep-around', 'found'],
    ]);
    expect(await fsck(made.project.fullPath, '--repair')).toHaveLength(2);
    expect(await fsck(made.project.fullPath)).toEqual([]);
    expect((await readdir(refs)).sort()).toEqual([made.head, made.topic].sort());
  });

  it('reports lost objects, which --repair does not restore', async () => {
    const made = await withMergeRequest();
    const folder = folderOf(made);
    await rm(path.join(folder, 'objects', 'pack'), { recursive: true });
    await mkdir(path.join(folder, 'objects', 'pack'));
    const found = await fsck(made.project.fullPath, '--repair');
    const names = new Set(found.map(({ name }) => name));
    expect(names).toEqual(new Set(['objects', 'merge-request']));
    expect(found.every(({ state }) => state === 'found')).toBe(true);
    expect(found).toContainEqual(
      expect.objectContaining({ detail: `commit ${made.topic} of merge request !1 is missing` }),
    );
    await rm(folder, { recursive: true });
    const [gone, ...others] = await fsck(made.project.fullPath);
    expect(gone).toMatchObject({ name: 'repository', state: 'found' });
    expect(others).toEqual([]);
    await trellis.rows('UPDATE projects SET deleted_at = now() WHERE id = $1', [made.project.id]);
  });

  it('reports unreadable refs, and missing branches', async () => {
    const made = await pushed.make();
    await writeFile(path.join(folderOf(made), 'refs', 'heads', 'broken'), 'garbage\n');
    await trellis.rows(`UPDATE projects SET default_branch = 'gone' WHERE id = $1`, [
      made.project.id,
    ]);
    await trellis.rows(
      `INSERT INTO protected_branches (project_id, name) VALUES ($1, 'never-made')`,
      [made.project.id],
    );
    const found = await fsck(made.project.fullPath);
    expect(found).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'head' }),
        expect.objectContaining({
          name: 'objects',
          detail: expect.stringContaining('refs/heads/broken') as string,
        }),
        expect.objectContaining({
          name: 'default-branch',
          detail: 'the default branch gone does not exist',
        }),
        expect.objectContaining({ name: 'protected-branch', state: 'noted' }),
      ]),
    );
    await trellis.rows('UPDATE projects SET deleted_at = now() WHERE id = $1', [made.project.id]);
  });

  it('reports unreadable uploads, orphaned folders and wrong counters, like doctor', async () => {
    const made = await pushed.make();
    const { body } = await trellis
      .as(owner)
      .call('post', `/projects/${made.project.id}/uploads`)
      .attach('file', Buffer.from('text'), 'notes.txt')
      .expect(200);
    const [, secret = ''] = /\/uploads\/([0-9a-f]{32})\//.exec((body as { url: string }).url) ?? [];
    const uploads = path.join(trellis.dataDir, 'uploads', '@hashed');
    const file = (await readdir(uploads, { recursive: true })).find((name) =>
      name.endsWith(`${secret}/notes.txt`),
    );
    const upload = path.join(uploads, file ?? '');
    await rm(upload);
    await mkdir(upload);
    const orphan = storage().path({ id: 987_654, storage: 'default' });
    await mkdir(orphan, { recursive: true });
    await trellis.as(owner).post(`/projects/${made.project.id}/issues`).send({ title: 'One' });
    await trellis.rows('UPDATE issues SET upvotes = 7 WHERE project_id = $1', [made.project.id]);
    await writeFile(path.join(folderOf(made), 'HEAD'), 'ref: refs/heads/other\n');

    const now = Date.now;
    // The change time of a folder cannot be set.
    jest.spyOn(Date, 'now').mockImplementation(() => now() + 2 * 60 * 60_000);
    await utimes(orphan, new Date(), new Date());
    try {
      const checks = await examine(loadConfig({ ...env, PORT: '0', SSH_PORT: 'off' }), {
        ...{ uid: process.getuid?.(), probeDisk, now: () => new Date(now()) },
      });
      expect(checks).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ name: 'repositories', state: 'problem' }),
          expect.objectContaining({ name: 'uploads', state: 'problem', detail: upload }),
          expect.objectContaining({ name: 'orphaned-folders', state: 'warning' }),
        ]),
      );
      const found = await fsck('--all');
      expect(found.map(({ project, name, state }) => [project, name, state]).sort()).toEqual(
        [
          [made.project.fullPath, 'upload', 'found'],
          [made.project.fullPath, 'head', 'found'],
          [null, 'orphaned-repository', 'found'],
          [null, 'counters', 'found'],
        ].sort(),
      );
      const lock = await holdHousekeepingLock(orphan);
      const repaired = await fsck('--all', '--repair');
      await lock.release();
      const names = repaired.filter(({ state }) => state === 'repaired').map(({ name }) => name);
      expect(names.sort()).toEqual(['counters', 'head']);
      const [last] = (await fsck('--all', '--repair')).filter(({ state }) => state === 'repaired');
      expect(last).toMatchObject({ project: null, name: 'orphaned-repository' });
      const left = await fsck('--all');
      expect(left.map(({ name }) => name)).toEqual(['upload']);
    } finally {
      jest.restoreAllMocks();
    }
    await expect(readdir(orphan)).rejects.toThrow('ENOENT');
  });

  it('keeps its results when a check fails', async () => {
    const made = await pushed.make();
    await writeFile(path.join(folderOf(made), 'HEAD'), 'ref: refs/heads/other\n');
    await trellis.rows('ALTER TABLE issue_counts RENAME TO renamed_counts');
    try {
      const found = await fsck('--all');
      const head = { project: made.project.fullPath, name: 'head', state: 'found' };
      expect(found).toContainEqual(expect.objectContaining(head));
      const failed = found.filter(({ detail }) => detail.startsWith('could not be checked: '));
      expect(failed).toMatchObject([{ project: null, name: 'counters', state: 'found' }]);
    } finally {
      await trellis.rows('ALTER TABLE renamed_counts RENAME TO issue_counts');
    }
  });

  it('packs repositories', async () => {
    const made = await pushed.make();
    await made.work.commit('Second commit');
    await made.work.push('HEAD:refs/heads/master');
    const packs = async () =>
      (await readdir(path.join(folderOf(made), 'objects', 'pack'))).filter((name) =>
        name.endsWith('.pack'),
      );
    expect(await packs()).toHaveLength(2);
    const done = await runJson(['housekeeping', made.project.fullPath], env);
    expect(done).toEqual({ projects: 1, failures: [] });
    expect(await packs()).toHaveLength(1);
  });
});
