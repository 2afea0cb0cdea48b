import { RepositoryReadiness } from '../../../src/modules/projects/index.js';
import { ProjectsRepository } from '../../../src/modules/projects/model/projects.repository.js';
import { ReceivePush } from '../../../src/modules/repository/index.js';
import { remoteOf } from '../../support/checkout.js';
import { type MadeProject, type Person } from '../../support/factories.js';
import { Forks } from '../../support/forks.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { StalledPush } from '../../support/slow-requests.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';
import { git } from '../../unit/git/support/workshop.js';

describe('a repository that is being filled', () => {
  let trellis: Trellis;
  let owner: Person;
  let reader: Person;
  let projects: PushedProjects;
  let forks: Forks;
  let source: MadeProject;
  let looks: jest.SpyInstance;
  let waits: jest.SpyInstance<Promise<boolean>>;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    reader = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
    forks = new Forks(trellis);
    looks = jest.spyOn(trellis.app.get(ProjectsRepository), 'findRepositoryState');
    waits = jest.spyOn(trellis.app.get(RepositoryReadiness), 'wait');
  });
  afterAll(async () => {
    looks.mockRestore();
    waits.mockRestore();
    await projects.remove();
  });

  /** Resolves when somebody has looked so often whether a repository is filled. */
  async function looked(times: number): Promise<void> {
    await until(() => Promise.resolve(looks.mock.calls.length >= times));
  }

  beforeEach(async () => {
    ({ project: source } = await projects.make({ visibilityLevel: 20 }));
  });

  it('delays pushes until it is filled, and is empty for readers', async () => {
    const fork = await forks.make(reader, source);
    const clone = await projects.checkout(fork, reader);
    await clone.git('pull', '--quiet', remoteOf(trellis, source, reader), 'master');
    const commit = await clone.commit('On top');
    expect(await clone.git('ls-remote', clone.remote)).toBe('');
    let pushed = false;
    const pushing = clone.push('HEAD:refs/heads/master').finally(() => {
      pushed = true;
    });
    await looked(looks.mock.calls.length + 4);
    expect(pushed).toBe(false);
    expect(await git(['for-each-ref'], { cwd: forks.folderOf(fork) })).toBe('');
    await forks.copy(fork, source);
    expect(await pushing).toMatchObject({ code: 0 });
    expect(await git(['rev-parse', 'master'], { cwd: forks.folderOf(fork) })).toBe(commit);
    const events = await trellis.rows<{ action: string }>(
      'SELECT action FROM events WHERE project_id = $1 ORDER BY id',
      [fork.id],
    );
    expect(events.map(({ action }) => action)).toEqual(['created', 'pushed to']);
  });

  it('stops waiting for disconnected clients', async () => {
    const fork = await forks.make(reader, source);
    const url = `${trellis.url}/${fork.fullPath}.git/info/refs?service=git-receive-pack`;
    const credential = Buffer.from(`${reader.user.username}:${reader.token}`).toString('base64');
    const client = new AbortController();
    const asking = fetch(url, {
      headers: { authorization: `Basic ${credential}` },
      signal: client.signal,
    });
    const before = waits.mock.calls.length;
    await until(() => Promise.resolve(waits.mock.calls.length > before));
    await looked(looks.mock.calls.length + 2);
    client.abort();
    await expect(asking).rejects.toThrow();
    expect(await waits.mock.results.at(-1)?.value).toBe(false);
  });

  it('limits the wait of a push', async () => {
    const fork = await forks.make(reader, source);
    const clone = await projects.checkout(fork, reader);
    await clone.commit();
    const readiness = trellis.app.get(RepositoryReadiness);
    expect(readiness.maxWaitMs).toBe(30_000);
    Object.assign(readiness, { maxWaitMs: 500 });
    const refused = await clone
      .push('HEAD:refs/heads/master')
      .finally(() => Object.assign(readiness, { maxWaitMs: 30_000 }));
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('The repository is still being filled. Try again later.');
    expect(await git(['for-each-ref'], { cwd: forks.folderOf(fork) })).toBe('');
  });

  it('refuses a push that began before the filling was requested', async () => {
    const { project, work: clone } = await projects.make();
    const commit = await clone.commit('Late');
    const url = `${trellis.url}/${project.fullPath}.git`;
    const begun = jest.spyOn(trellis.app.get(ReceivePush), 'receive');
    const to = { url, username: owner.user.username, password: owner.token };
    const pushing = await StalledPush.begin(to, { folder: clone.folder, commit, branch: 'late' });
    await until(() => Promise.resolve(begun.mock.calls.length > 0));
    begun.mockRestore();
    await trellis.rows(`UPDATE projects SET repository_state = 'importing' WHERE id = $1`, [
      project.id,
    ]);
    const { report } = await pushing.finish();
    expect(report).toContain('ng refs/heads/late The repository is still being filled.');
    expect(await git(['for-each-ref', 'refs/heads/late'], { cwd: forks.folderOf(project) })).toBe(
      '',
    );
  });
});
