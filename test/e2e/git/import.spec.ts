import { type ChildProcess, spawn } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { remoteOf } from '../../support/checkout.js';
import { type MadeProject, type Person, unique } from '../../support/factories.js';
import { Imports } from '../../support/imports.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';
import { git, tryGit } from '../../unit/git/support/workshop.js';

const INVALID = { message: { import_url: ['is not a valid URL'] } };

describe('import_url', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let imports: Imports;
  let source: PushedProject;
  let hidden: PushedProject;

  beforeAll(async () => {
    trellis = await Trellis.shared({ runsJobs: true });
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
    imports = new Imports(trellis, owner);
    source = await projects.make({ visibilityLevel: 20 });
    await source.work.git('tag', '-a', '-m', 'One', 'v1');
    await source.work.git('branch', 'a-first');
    await source.work.push('a-first', 'refs/tags/v1');
    hidden = await projects.make();
  });
  afterAll(async () => {
    await projects.remove();
    await trellis.restore();
  });

  /** Everything of a project but hidden refs, and what a first push would have settled. */
  async function expectImported(id: number): Promise<void> {
    const refs = (folder: string) =>
      git(['for-each-ref', '--format=%(refname) %(objectname)'], { cwd: folder });
    expect(await refs(imports.folderOf({ id }))).toBe(await refs(imports.folderOf(source.project)));
    await git(['fsck', '--strict', '--no-dangling'], { cwd: imports.folderOf({ id }) });
    expect(await imports.projectRow(id)).toMatchObject({
      repository_state: 'ready',
      default_branch: 'master',
    });
    const branches = await trellis
      .as(owner)
      .get(`/projects/${String(id)}/repository/branches`)
      .expect(200);
    expect(branches.body).toMatchObject([
      { name: 'a-first', protected: false },
      { name: 'master', protected: true, developers_can_push: false },
    ]);
    expect(await imports.aside(id)).toEqual([]);
  }

  it('refuses invalid addresses of remote servers', async () => {
    const before = await trellis.rows('SELECT id FROM projects');
    for (const url of [
      ...['nonsense', 'http://', 'file:///etc', 'ftp://example.com/x', '/srv/git/x.git'],
      ...[
        'ext::sh -c true',
        'git@example.com:x.git',
        'http://example.com/x?token=1',
        'http://a b/x',
      ],
      ...['ssh://-oProxyCommand=x/y', 'http://example.com/%0d%0a', 'http://example.com'],
    ]) {
      expect((await imports.ask(url).expect(400)).body).toEqual(INVALID);
    }
    expect((await imports.ask('http://a\0b/x').expect(400)).body).toEqual({
      error: 'import_url is invalid',
    });
    expect(await trellis.rows('SELECT id FROM projects')).toEqual(before);
  });

  it('fills a new project over HTTP like a first push', async () => {
    const answer = await imports.ask(remoteOf(trellis, source.project, null)).expect(200);
    const { id } = answer.body as MadeProject;
    expect(answer.body).toMatchObject({ default_branch: null });
    expect(answer.body).not.toHaveProperty('import_url');
    const row = await imports.ended(id);
    expect(row).toMatchObject({
      state: 'finished',
      progress: 100,
      failure: null,
      address: `${trellis.url}/${source.project.fullPath}.git`,
      credentials_sealed: null,
      user_id: owner.user.id,
    });
    await expectImported(id);
    const events = await trellis.rows(
      'SELECT action, author_id FROM events WHERE project_id = $1',
      [id],
    );
    expect(events).toEqual([{ action: 'imported', author_id: owner.user.id }]);
  });

  it('uses the credentials of the address, and does not keep them', async () => {
    const url = remoteOf(trellis, hidden.project, owner);
    const { id, row } = await imports.run(url);
    expect(row).toMatchObject({ state: 'finished', credentials_sealed: null });
    expect(row.address).toBe(`${trellis.url}/${hidden.project.fullPath}.git`);
    expect(await git(['rev-parse', 'master'], { cwd: imports.folderOf({ id }) })).toBe(hidden.head);
    const basic = Buffer.from(`${owner.user.username}:${owner.token}`).toString('base64');
    expect(await imports.tablesWith([owner.token, basic, url])).toEqual([]);
    const { stdout } = await tryGit(['config', '--list', '--local'], {
      cwd: imports.folderOf({ id }),
    });
    expect(stdout).not.toContain('http');
  });

  it('reports failures without text of the remote server, and leaves the project usable', async () => {
    const wrong = new URL(remoteOf(trellis, hidden.project, owner));
    wrong.password = 'not-the-password-1';
    const { id, row } = await imports.run(wrong.href);
    expect(row).toMatchObject({
      state: 'failed',
      failure: 'The server refused the user name or the password',
      credentials_sealed: null,
    });
    expect(await imports.tablesWith(['not-the-password-1'])).toEqual([]);
    expect(await imports.projectRow(id)).toMatchObject({
      repository_state: 'ready',
      default_branch: null,
    });
    expect(await git(['for-each-ref'], { cwd: imports.folderOf({ id }) })).toBe('');
    const [project] = await trellis.rows<{ path: string }>(
      'SELECT path FROM projects WHERE id = $1',
      [id],
    );
    const fullPath = `${owner.user.username}/${String(project?.path)}`;
    const checkout = await projects.checkout({ id, path: '', fullPath }, owner);
    await checkout.commit();
    expect(await checkout.push('HEAD:refs/heads/main')).toMatchObject({ code: 0 });
    expect(await imports.projectRow(id)).toMatchObject({ default_branch: 'main' });

    const missing = await imports.run(`${trellis.url}/${owner.user.username}/nothing-here.git`);
    expect(missing.row.failure).toBe('The server refused the user name or the password');
    const unknown = await imports.run('http://nowhere.invalid/x.git');
    expect(unknown.row).toMatchObject({ state: 'failed', failure: 'The host could not be found' });
  });

  it('retries temporary failures up to a limit', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const { row } = await imports.run(`http://127.0.0.1:${String(port)}/x.git`);
    expect(row).toMatchObject({ state: 'failed', failure: 'The server could not be reached' });
  });

  describe('from a git daemon', () => {
    let daemon: ChildProcess;
    let port: number;

    beforeAll(async () => {
      const free = createServer();
      await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve));
      ({ port } = free.address() as AddressInfo);
      await new Promise((resolve) => free.close(resolve));
      const folder = imports.folderOf(source.project);
      const flags = ['--export-all', '--reuseaddr', '--listen=127.0.0.1', `--port=${String(port)}`];
      daemon = spawn('git', ['daemon', ...flags, `--base-path=${path.dirname(folder)}`, folder], {
        stdio: 'ignore',
        detached: true,
      });
      await until(async () => {
        const { code } = await tryGit(['ls-remote', addressOf(source)]);
        return code === 0;
      });
    });
    afterAll(() => {
      process.kill(-(daemon.pid ?? 0), 'SIGTERM');
    });

    const addressOf = ({ project }: PushedProject) =>
      `git://127.0.0.1:${String(port)}/${path.basename(imports.folderOf(project))}`;

    it('fills a new project', async () => {
      const { id, row } = await imports.run(addressOf(source));
      expect(row).toMatchObject({ state: 'finished', failure: null });
      await expectImported(id);
    });

    it('reports an empty repository', async () => {
      const { row } = await imports.run(`git://127.0.0.1:${String(port)}/nothing.git`);
      expect(row).toMatchObject({ state: 'failed', failure: 'The server has no such repository' });
    });
  });
});

describe('import_url without WEBHOOK_ALLOW_LOCAL', () => {
  let trellis: Trellis;
  let owner: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared({ runsJobs: true, settings: { WEBHOOK_ALLOW_LOCAL: 'false' } });
    owner = await trellis.factories.user({ projectsLimit: 1000 });
  });
  afterAll(() => trellis.restore());

  it('refuses private addresses in every notation', async () => {
    for (const host of [
      ...['127.0.0.1', 'localhost', 'localhost.', 'x.localhost', '0x7f.1', '2130706433', '0177.1'],
      ...['10.0.0.1', '172.16.0.1', '192.168.0.1', '169.254.169.254', '0.0.0.0', '100.64.0.1'],
      ...['[::1]', '[::]', '[fe80::1]', '[fd00::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
      ...['127.1', '１２７.0.0.1', '%31%32%37.0.0.1', 'LOCALHOST'],
    ]) {
      for (const scheme of ['http', 'https', 'git', 'ssh']) {
        const answer = await trellis
          .as(owner)
          .post('/projects', { name: unique(), import_url: `${scheme}://${host}:8080/x.git` });
        expect([scheme, host, answer.status, answer.body]).toEqual([scheme, host, 400, INVALID]);
      }
    }
    const made = 'SELECT 1 FROM projects WHERE creator_id = $1';
    expect(await trellis.rows(made, [owner.user.id])).toEqual([]);
  });
});
