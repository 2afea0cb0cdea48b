import { access, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Checkout } from '../../support/checkout.js';
import { type MadeProject, type Person } from '../../support/factories.js';
import { Forks } from '../../support/forks.js';
import { ResumeFillingJob } from '../../../src/modules/projects/lifecycle/resume-filling.job.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';
import { git } from '../../unit/git/support/workshop.js';

describe('the repository of a fork', () => {
  let trellis: Trellis;
  let owner: Person;
  let reader: Person;
  let projects: PushedProjects;
  let forks: Forks;
  let source: MadeProject;
  let work: Checkout;
  let head: string;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    reader = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
    forks = new Forks(trellis);
  });
  afterAll(async () => {
    await projects.remove();
  });

  beforeEach(async () => {
    ({ project: source, work, head } = await projects.make({ visibilityLevel: 20 }));
  });

  it('copies only branches and tags, keeps the default branch and protects none', async () => {
    await work.git('tag', '-a', '-m', 'One', 'v1');
    await work.git('branch', 'trunk');
    await work.push('refs/tags/v1', 'trunk', 'HEAD:refs/notes/commits');
    await trellis
      .as(owner)
      .put(`/projects/${String(source.id)}`, { default_branch: 'trunk' })
      .expect(200);
    await git(['update-ref', 'refs/merge-requests/1/head', head], { cwd: forks.folderOf(source) });
    const fork = await forks.make(reader, source);
    await forks.copy(fork, source);

    const refs = await git(['for-each-ref', '--format=%(refname)'], { cwd: forks.folderOf(fork) });
    expect(refs.split('\n')).toEqual(['refs/heads/master', 'refs/heads/trunk', 'refs/tags/v1']);
    expect(await git(['symbolic-ref', 'HEAD'], { cwd: forks.folderOf(fork) })).toBe(
      'refs/heads/trunk',
    );
    const read = await trellis
      .as(reader)
      .get(`/projects/${String(fork.id)}`)
      .expect(200);
    expect(read.body).toMatchObject({ default_branch: 'trunk' });
    const branches = await trellis
      .as(reader)
      .get(`/projects/${String(fork.id)}/repository/branches`)
      .expect(200);
    expect(branches.body).toMatchObject([
      { name: 'master', protected: false },
      { name: 'trunk', protected: false },
    ]);
    expect(
      await trellis.rows('SELECT 1 FROM protected_branches WHERE project_id = $1', [fork.id]),
    ).toEqual([]);
    expect(
      await trellis.rows(
        `SELECT 1 FROM outbox WHERE name = 'tidy-repository' AND payload->>'projectId' = $1`,
        [String(fork.id)],
      ),
    ).toHaveLength(1);
    expect(await forks.row(fork)).toMatchObject({ repository_state: 'ready' });

    await forks.copy(fork, source);
    expect(await forks.row(fork)).toMatchObject({
      repository_state: 'ready',
      default_branch: 'trunk',
    });
  });

  it('is empty for an empty source', async () => {
    const empty = await trellis.factories.project(owner, { visibilityLevel: 20 });
    await trellis
      .as(owner)
      .put(`/projects/${String(empty.id)}`, { default_branch: 'trunk' })
      .expect(200);
    const fork = await forks.make(reader, empty);
    await forks.copy(fork, empty);
    expect(await forks.row(fork)).toMatchObject({
      repository_state: 'ready',
      default_branch: null,
    });
    expect(await git(['symbolic-ref', 'HEAD'], { cwd: forks.folderOf(fork) })).toBe(
      'refs/heads/trunk',
    );
  });

  it('works without its source project', async () => {
    const fork = await forks.make(reader, source);
    await forks.copy(fork, source);
    // Each is packed anew while the other has the same files.
    for (const { id } of [source, fork]) {
      const folder = forks.folderOf({ id });
      await git(['repack', '-adfq'], { cwd: folder });
      await trellis.git.repository(folder).housekeeping();
      for (const one of [source, fork]) {
        await git(['fsck', '--strict', '--no-dangling'], { cwd: forks.folderOf(one) });
      }
    }
    await trellis
      .as(owner)
      .delete(`/projects/${String(source.id)}`)
      .expect(200);
    const orphan = await trellis
      .as(reader)
      .get(`/projects/${String(fork.id)}`)
      .expect(200);
    expect(orphan.body).not.toHaveProperty('forked_from_project');
    await forks.purge(source);
    await expect(access(forks.folderOf(source))).rejects.toThrow();

    await git(['fsck', '--strict', '--no-dangling'], { cwd: forks.folderOf(fork) });
    const checkout = await projects.checkout(fork, reader);
    await checkout.git('pull', '--quiet', checkout.remote, 'master');
    expect(await checkout.git('rev-parse', 'HEAD')).toBe(head);
    await trellis.git.repository(forks.folderOf(fork)).housekeeping();
    await git(['fsck', '--strict', '--no-dangling'], { cwd: forks.folderOf(fork) });
    expect(await readdir(path.join(forks.folderOf(fork), 'objects/info'))).not.toContain(
      'alternates',
    );
  });

  it('is filled from a source deleted meanwhile, whose repository is kept until then', async () => {
    const fork = await forks.make(reader, source);
    await trellis
      .as(owner)
      .delete(`/projects/${String(source.id)}`)
      .expect(200);
    const seen = await trellis
      .as(reader)
      .get(`/projects/${String(fork.id)}`)
      .expect(200);
    expect(seen.body).not.toHaveProperty('forked_from_project');
    const purge = () => forks.purge(source);
    await purge();
    await access(forks.folderOf(source));
    await forks.copy(fork, source);
    expect(await git(['rev-parse', 'master'], { cwd: forks.folderOf(fork) })).toBe(head);
    await purge();
    await expect(access(forks.folderOf(source))).rejects.toThrow();
    expect(await trellis.rows('SELECT 1 FROM projects WHERE id = $1', [source.id])).toEqual([]);
    await git(['fsck', '--strict', '--no-dangling'], { cwd: forks.folderOf(fork) });
  });

  it('stays empty and usable when the source is missing', async () => {
    const fork = await forks.make(reader, source);
    await trellis.git.removeRepository(forks.folderOf(source));
    await forks.copy(fork, source);
    expect(await forks.row(fork)).toMatchObject({
      repository_state: 'ready',
      default_branch: null,
    });
    const checkout = await projects.checkout(fork, reader);
    await checkout.commit();
    expect(await checkout.push('HEAD:refs/heads/master')).toMatchObject({ code: 0 });
  });

  it('may be deleted while it is copied', async () => {
    const fork = await forks.make(reader, source);
    const copying = forks.copy(fork, source);
    await trellis
      .as(reader)
      .delete(`/projects/${String(fork.id)}`)
      .expect(200);
    await forks.purge(fork);
    await copying.catch(() => undefined);
    await forks.copy(fork, source);
    await expect(access(forks.folderOf(fork))).rejects.toThrow();
    expect(await forks.countOf(source)).toBe(0);
  });

  it('waits for a source that is still being filled', async () => {
    const fork = await forks.make(reader, source);
    const group = await trellis.factories.group(reader);
    const second = await forks.make(reader, fork, { namespace: group.id });
    await trellis.rows('DELETE FROM outbox');
    await forks.copy(second, fork);
    expect(await forks.row(second)).toMatchObject({ repository_state: 'copying' });
    const jobs = await trellis.rows(
      `SELECT payload FROM outbox WHERE name = 'copy-repository' AND payload->>'projectId' = $1`,
      [String(second.id)],
    );
    expect(jobs).toEqual([{ payload: { projectId: second.id, sourceId: fork.id } }]);
    await forks.copy(fork, source);
    await forks.copy(second, fork);
    expect(await git(['rev-parse', 'master'], { cwd: forks.folderOf(second) })).toBe(head);
  });

  it('is retried after every attempt has failed', async () => {
    const fork = await forks.make(reader, source);
    const waiting = () =>
      trellis.rows(
        `SELECT payload FROM outbox WHERE name = 'copy-repository' AND payload->>'projectId' = $1`,
        [String(fork.id)],
      );
    const resume = () => trellis.app.get(ResumeFillingJob).handle();
    await trellis.rows('DELETE FROM outbox');
    await resume();
    expect(await waiting()).toEqual([]);
    await trellis.rows(
      `UPDATE projects SET created_at = now() - interval '3 hours' WHERE id = $1`,
      [fork.id],
    );
    await resume();
    await resume();
    expect(await waiting()).toEqual([{ payload: { projectId: fork.id, sourceId: source.id } }]);
    await forks.copy(fork, source);
    await trellis.rows('DELETE FROM outbox');
    await resume();
    expect(await waiting()).toEqual([]);
  });

  it('is filled by a worker', async () => {
    const worker = await Trellis.start({
      because: 'another process',
      beside: trellis,
      runsJobs: true,
    });
    try {
      const made = await Promise.all(
        Array.from({ length: 3 }, async () => {
          const person = await trellis.factories.user();
          return forks.make(person, source);
        }),
      );
      for (const fork of made) {
        await until(async () => (await forks.row(fork))['repository_state'] === 'ready');
        expect(await git(['rev-parse', 'HEAD'], { cwd: forks.folderOf(fork) })).toBe(head);
        await git(['fsck', '--strict', '--no-dangling'], { cwd: forks.folderOf(fork) });
      }
    } finally {
      await worker.stop();
    }
  });
});
