import { ImportRepositoryJob } from '../../../src/modules/projects/lifecycle/imports/import-repository.job.js';
import { BranchWork } from '../../support/branch-work.js';
import { remoteOf } from '../../support/checkout.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { Forks } from '../../support/forks.js';
import { Imports } from '../../support/imports.js';
import { openIssue, pathOf } from '../../support/issues.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { commitRandom, growRepository, StoredSizes } from '../../support/stored-sizes.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const LIMIT = 2_000_000;
const REFUSED = /The project would exceed its size limit of 2,000,000 bytes/;
const RUN = { jobId: '1', attempt: 1, signal: new AbortController().signal };

describe('PROJECT_MAX_BYTES for data of other projects', () => {
  let trellis: Trellis;
  let owner: Person;
  let reader: Person;
  let projects: PushedProjects;
  let sizes: StoredSizes;
  let forks: Forks;
  let imports: Imports;

  beforeAll(async () => {
    const settings = { PROJECT_MAX_BYTES: String(LIMIT), WEBHOOK_ALLOW_LOCAL: 'true' };
    trellis = await Trellis.shared({ settings });
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    reader = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
    sizes = new StoredSizes(trellis);
    forks = new Forks(trellis);
    imports = new Imports(trellis, owner);
  });
  afterAll(async () => {
    await projects.remove();
    await trellis.restore();
  });

  const branchesOf = async (person: Person, { id }: { id: number }) =>
    (
      await trellis
        .as(person)
        .get(`/projects/${String(id)}/repository/branches`)
        .expect(200)
    ).body as unknown[];

  /** Leaves a project as little room as this. */
  async function leaveRoom(project: MadeProject, bytes: number): Promise<void> {
    const room = LIMIT - (await sizes.onDisk(project)) - bytes;
    expect((await sizes.upload(owner, project, room)).status).toBe(200);
  }

  it('fails a fork with the reason, and leaves the project usable', async () => {
    const { project: source } = await projects.make({ visibilityLevel: 20 });
    await growRepository(sizes, source, LIMIT);
    const fork = await forks.make(reader, source);
    await forks.copy(fork, source);
    expect(await forks.row(fork)).toMatchObject({ repository_state: 'ready' });
    const row = await imports.row(fork.id);
    expect(row).toMatchObject({ state: 'failed', address: source.fullPath });
    expect(row.failure).toMatch(REFUSED);
    const shown = await trellis
      .as(reader)
      .get(`/projects/${String(fork.id)}/import`)
      .expect(200);
    expect(shown.body).toMatchObject({ import_status: 'failed', import_error: row.failure });
    expect(await branchesOf(reader, fork)).toEqual([]);
    const work = await projects.checkout(fork, reader);
    await work.commit();
    expect((await work.push('HEAD:refs/heads/master')).code).toBe(0);
  });

  it('counts all shared objects of a fork, and the fork can be repeated', async () => {
    const { project: source, work, head } = await projects.make({ visibilityLevel: 20 });
    await commitRandom(work, { branch: 'large', onto: head, bytes: 1_200_000 });
    expect((await work.push('large')).code).toBe(0);
    const fork = await forks.make(reader, source);
    await forks.copy(fork, source);
    await trellis.rows(`UPDATE projects SET repository_state = 'copying' WHERE id = $1`, [fork.id]);
    await forks.copy(fork, source);
    expect(await branchesOf(reader, fork)).toHaveLength(2);
    expect((await sizes.counted(fork))?.used).toBeGreaterThan(1_200_000);
    expect((await sizes.upload(reader, fork, 900_000)).status).toBe(413);
    await sizes.housekeeping(fork);
    expect((await sizes.counted(fork))?.used).toBe(await sizes.onDisk(fork));
  });

  it('fails an import with the reason', async () => {
    const { project: source, work, head } = await projects.make({ visibilityLevel: 20 });
    await commitRandom(work, { branch: 'large', onto: head, bytes: 1_200_000 });
    expect((await work.push('large')).code).toBe(0);
    const run = async (room?: number): Promise<number> => {
      const answer = await imports.ask(remoteOf(trellis, source, null)).expect(200);
      const made = answer.body as MadeProject;
      if (room !== undefined) await leaveRoom(made, room);
      await trellis.app.get(ImportRepositoryJob).handle({ projectId: made.id }, RUN);
      return made.id;
    };
    const failed = await run(1_000_000);
    expect((await imports.row(failed)).state).toBe('failed');
    expect((await imports.row(failed)).failure).toMatch(REFUSED);
    expect(await branchesOf(owner, { id: failed })).toEqual([]);
    expect(await imports.aside(failed)).toEqual([]);
    expect(await imports.projectRow(failed)).toMatchObject({ repository_state: 'ready' });
    const imported = await run();
    expect(await imports.row(imported)).toMatchObject({ state: 'finished', failure: null });
    expect((await sizes.upload(owner, { id: imported }, 900_000)).status).toBe(413);
  });

  it('refuses a merge request whose commits exceed the limit of the target project', async () => {
    const { project: target, head } = await BranchWork.begin(trellis, owner, projects);
    const fork = await forks.make(owner, target, { namespace: await newGroup() });
    await forks.copy(fork, target);
    const work = await projects.checkout(fork, owner);
    await work.git('fetch', '--quiet', work.remote, 'master');
    await commitRandom(work, { branch: 'topic', onto: head, bytes: 600_000 });
    expect((await work.push('topic')).code).toBe(0);
    await leaveRoom(target, 500_000);
    const draft = { source_branch: 'topic', target_branch: 'master', title: 'Large' };
    const ask = () =>
      trellis.as(owner).post(`/projects/${String(fork.id)}/merge_requests`, {
        ...draft,
        target_project_id: target.id,
      });
    const answer = await ask();
    expect(answer.status).toBe(413);
    expect((answer.body as { message: string }).message).toMatch(REFUSED);
    const list = `/projects/${String(target.id)}/merge_requests`;
    expect((await trellis.as(owner).get(list).expect(200)).body).toEqual([]);
    expect(await sizes.onDisk(target)).toBeLessThanOrEqual(LIMIT);
  });

  it('accepts a push to a fork whose merge request cannot be updated for lack of space', async () => {
    const { project: target, head } = await BranchWork.begin(trellis, owner, projects);
    const fork = await forks.make(owner, target, { namespace: await newGroup() });
    await forks.copy(fork, target);
    const work = await projects.checkout(fork, owner);
    await work.git('fetch', '--quiet', work.remote, 'master');
    const first = await commitRandom(work, { branch: 'topic', onto: head, bytes: 1_000 });
    expect((await work.push('topic')).code).toBe(0);
    const made = await trellis
      .as(owner)
      .post(`/projects/${String(fork.id)}/merge_requests`, {
        source_branch: 'topic',
        target_branch: 'master',
        title: 'Grows',
        target_project_id: target.id,
      })
      .expect(200);
    const { id } = made.body as { id: number };
    await leaveRoom(target, 500_000);
    await commitRandom(work, { branch: 'more', onto: first, bytes: 600_000 });
    expect((await work.push('more:topic')).code).toBe(0);
    const request = `/projects/${String(target.id)}/merge_requests/${String(id)}`;
    const { body } = await trellis.as(owner).get(`${request}/commits`).expect(200);
    expect(body).toHaveLength(1);
    const jobs = await trellis.rows(
      `SELECT 1 FROM outbox WHERE name = 'record-version' AND payload->>'mergeRequestId' = $1`,
      [String(id)],
    );
    expect(jobs).toHaveLength(1);
  });

  it('refuses to move an issue whose files exceed the limit of the other project', async () => {
    const here = await trellis.factories.project(owner);
    const there = await trellis.factories.project(owner);
    const { body } = await sizes.upload(owner, here, 600_000);
    const { markdown } = body as { markdown: string };
    const issue = await openIssue(trellis, owner, here, { description: markdown });
    await leaveRoom(there, 500_000);
    const move = () => trellis.as(owner).post(`${pathOf(issue)}/move`, { to_project_id: there.id });
    const answer = await move();
    expect(answer.status).toBe(413);
    expect((answer.body as { message: string }).message).toMatch(REFUSED);
    const left = await trellis.as(owner).get(pathOf(issue)).expect(200);
    expect(left.body).toMatchObject({ state: 'opened', description: markdown });
    const other = await trellis
      .as(owner)
      .get(`/projects/${String(there.id)}/issues`)
      .expect(200);
    expect(other.body).toEqual([]);
  });

  async function newGroup(): Promise<string> {
    return (await trellis.factories.group(owner)).path;
  }
});
