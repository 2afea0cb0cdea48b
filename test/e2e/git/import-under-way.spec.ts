import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { ImportRepositoryJob } from '../../../src/modules/projects/lifecycle/imports/import-repository.job.js';
import { ResumeFillingJob } from '../../../src/modules/projects/lifecycle/resume-filling.job.js';
import { ProjectsRepository } from '../../../src/modules/projects/model/projects.repository.js';
import { remoteOf } from '../../support/checkout.js';
import { type MadeProject, type Person } from '../../support/factories.js';
import { Imports } from '../../support/imports.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';
import { git } from '../../unit/git/support/workshop.js';

describe('a running import', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let imports: Imports;
  let source: PushedProject;

  beforeAll(async () => {
    trellis = await Trellis.shared({ settings: { WEBHOOK_ALLOW_LOCAL: 'true' } });
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
    imports = new Imports(trellis, owner);
    source = await projects.make({ visibilityLevel: 20 });
  });
  afterAll(async () => {
    await projects.remove();
    await trellis.restore();
  });

  const run = (projectId: number, attempt = 1) =>
    trellis.app
      .get(ImportRepositoryJob)
      .handle({ projectId }, { jobId: '1', attempt, signal: new AbortController().signal });
  const begin = async (url: string): Promise<MadeProject> => {
    const { id, path: name } = (await imports.ask(url).expect(200)).body as MadeProject;
    return { id, path: name, fullPath: `${owner.user.username}/${name}` };
  };

  it('waits while its user has two others, and delays no other user', async () => {
    const held = createServer().listen(0, '127.0.0.1');
    await once(held, 'listening');
    const { port } = held.address() as AddressInfo;
    const url = `http://127.0.0.1:${String(port)}/held.git`;
    const stopped = new AbortController();
    const handle = (projectId: number): Promise<void> =>
      trellis.app
        .get(ImportRepositoryJob)
        .handle({ projectId }, { jobId: '1', attempt: 3, signal: stopped.signal });
    const [first, second, third] = [await begin(url), await begin(url), await begin(url)];
    const running = [handle(first.id), handle(second.id)];
    const stateOf = async ({ id }: MadeProject) => (await imports.row(id)).state;
    await until(async () => (await stateOf(first)) === 'running');
    await until(async () => (await stateOf(second)) === 'running');
    await trellis.rows('DELETE FROM outbox');
    await handle(third.id);
    expect(await stateOf(third)).toBe('waiting');
    const jobs = await trellis.rows(
      `SELECT payload FROM outbox WHERE name = 'import-repository' AND run_at > now()`,
    );
    expect(jobs).toEqual([{ payload: { projectId: third.id } }]);
    const guest = await trellis.factories.user();
    const others = new Imports(trellis, guest);
    const asked = await others.ask(remoteOf(trellis, source.project, null)).expect(200);
    const other = asked.body as MadeProject;
    await handle(other.id);
    expect(await stateOf(other)).toBe('finished');
    stopped.abort(new Error('The worker stops'));
    for (const { status } of await Promise.allSettled(running)) expect(status).toBe('rejected');
    held.close();
  });

  it('keeps its credentials encrypted', async () => {
    const url = 'https://zoe:hunter2hunter2@example.com/x.git';
    const answer = await imports.ask(url).expect(200);
    expect(JSON.stringify(answer.body)).not.toContain('hunter2');
    const { id } = answer.body as MadeProject;
    const row = await imports.row(id);
    expect(row).toMatchObject({ state: 'waiting', address: 'https://example.com/x.git' });
    expect(row.credentials_sealed).toMatch(/^[A-Za-z0-9+/=]{40,}$/);
    const jobs = await trellis.rows(
      `SELECT payload FROM outbox WHERE name = 'import-repository' AND payload->>'projectId' = $1`,
      [String(id)],
    );
    expect(jobs).toEqual([{ payload: { projectId: id } }]);
    expect(await imports.tablesWith(['hunter2'])).toEqual([]);
  });

  it('restarts after its worker was killed, and ends once', async () => {
    const { id } = await begin(remoteOf(trellis, source.project, null));
    await trellis.rows(
      `UPDATE project_imports SET state = 'running', progress = 42 WHERE project_id = $1`,
      [id],
    );
    await Promise.all([run(id, 2), run(id)]);
    expect(await imports.row(id)).toMatchObject({ state: 'finished', progress: 100 });
    expect(await git(['rev-parse', 'master'], { cwd: imports.folderOf({ id }) })).toBe(source.head);
    expect(await imports.aside(id)).toEqual([]);
    await run(id);
    const rules = await trellis.rows('SELECT name FROM protected_branches WHERE project_id = $1', [
      id,
    ]);
    expect(rules).toEqual([{ name: 'master' }]);
  });

  it('only records the end when its worker was killed after filling the repository', async () => {
    const { id } = await begin(remoteOf(trellis, source.project, null));
    await git(['fetch', '-q', imports.folderOf(source.project), 'master:master'], {
      cwd: imports.folderOf({ id }),
    });
    await trellis.rows('UPDATE project_imports SET address = $2 WHERE project_id = $1', [
      id,
      'http://127.0.0.1:1/gone.git',
    ]);
    await run(id);
    expect(await imports.row(id)).toMatchObject({ state: 'finished', failure: null });
    expect(await imports.projectRow(id)).toMatchObject({
      repository_state: 'ready',
      default_branch: 'master',
    });
  });

  it('allows pushes when its record was removed with its user', async () => {
    const { id } = await begin(remoteOf(trellis, source.project, null));
    await trellis.rows('DELETE FROM project_imports WHERE project_id = $1', [id]);
    await run(id);
    expect(await imports.projectRow(id)).toMatchObject({ repository_state: 'ready' });
  });

  it('is retried after every attempt has failed', async () => {
    const { id } = await begin(remoteOf(trellis, source.project, null));
    await trellis.rows('DELETE FROM outbox');
    await trellis.app.get(ResumeFillingJob).handle();
    expect(await trellis.rows(`SELECT 1 FROM outbox WHERE name = 'import-repository'`)).toEqual([]);
    await trellis.rows(
      `UPDATE project_imports SET updated_at = now() - interval '3 hours' WHERE project_id = $1`,
      [id],
    );
    await trellis.app.get(ResumeFillingJob).handle();
    const jobs = await trellis.rows(`SELECT payload FROM outbox WHERE name = 'import-repository'`);
    expect(jobs).toEqual([{ payload: { projectId: id } }]);
  });

  it('delays pushes, and stops when the project is deleted', async () => {
    // Takes the connection and says nothing.
    const silent = createServer((socket) => socket.on('error', () => undefined).resume());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const connected = new Promise((resolve) => silent.once('connection', resolve));
    const port = String((silent.address() as AddressInfo).port);
    const project = await begin(`git://127.0.0.1:${port}/x.git`);
    const running = run(project.id);
    await connected;
    expect((await imports.row(project.id)).state).toBe('running');
    const checkout = await projects.checkout(project, owner);
    await checkout.commit();
    let pushed = false;
    const looks = jest.spyOn(trellis.app.get(ProjectsRepository), 'findRepositoryState');
    const pushing = checkout.push('HEAD:refs/heads/master').finally(() => {
      pushed = true;
    });
    await until(() => Promise.resolve(looks.mock.calls.length > 3));
    looks.mockRestore();
    expect(pushed).toBe(false);
    await trellis
      .as(owner)
      .delete(`/projects/${String(project.id)}`)
      .expect(200);
    expect((await pushing).code).not.toBe(0);
    await running;
    expect(await imports.aside(project.id)).toEqual([]);
    await new Promise((resolve) => silent.close(resolve));
  });
});
