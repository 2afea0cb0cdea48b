/** @operation */
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { OperatorImportsService } from '../../../src/modules/projects/index.js';
import { ProjectStorage } from '../../../src/modules/storage/index.js';
import { runCommand } from '../../support/commands.js';
import { type Person, unique } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';
import { git } from '../../unit/git/support/workshop.js';

jest.setTimeout(120_000);

describe('trellis import repositories', () => {
  let trellis: Trellis;
  let admin: Person;
  let directory: string;
  let group: string;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
  });

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'trellis-import-'));
    group = `group-${unique()}`;
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  /** Makes a clone with one commit on `trunk` and a tag. */
  async function makeClone(...parts: string[]): Promise<string> {
    const folder = path.join(directory, ...parts);
    await mkdir(folder, { recursive: true });
    await git(['init', '-q', '-b', 'trunk', folder]);
    await git(['commit', '-q', '--allow-empty', '-m', 'One'], { cwd: folder });
    await git(['tag', 'v1'], { cwd: folder });
    return folder;
  }

  async function makeBare(...parts: string[]): Promise<void> {
    const work = await makeClone(`work-${unique()}`);
    await git(['clone', '-q', '--bare', work, path.join(directory, ...parts)]);
    await rm(work, { recursive: true });
  }

  /** Runs the command to its end. */
  async function run(...options: string[]) {
    const args = ['import', 'repositories', directory, ...options];
    return runCommand(args, trellis.sharedEnvironment);
  }

  async function runForJson(...options: string[]) {
    const { code, output } = await run('--json', ...options);
    const { repositories } = JSON.parse(output) as { repositories: Record<string, unknown>[] };
    return { code, repositories };
  }

  const read = (project: string) =>
    trellis.as(admin).get(`/projects/${encodeURIComponent(project)}`);

  it('creates a project for each repository, once', async () => {
    await makeClone(group, 'My App');
    await makeBare(group, 'deeper', 'lib.git');
    const first = await runForJson('--visibility', 'internal');
    expect(first).toEqual({
      code: 0,
      repositories: [
        {
          ...{ source: `${group}/My App`, project: `${group}/my-app` },
          ...{ result: 'imported', reason: null },
        },
        {
          ...{ source: `${group}/deeper/lib.git`, project: `${group}/deeper-lib` },
          ...{ result: 'imported', reason: null },
        },
      ],
    });
    const project = (await read(`${group}/my-app`).expect(200)).body as Record<string, unknown>;
    expect(project).toMatchObject({
      ...{ name: 'My App', default_branch: 'trunk', visibility_level: 10 },
      namespace: { name: group, owner_id: null, visibility_level: 10 },
    });
    const id = String(project['id']);
    const tags = await trellis.as(admin).get(`/projects/${id}/repository/tags`).expect(200);
    expect(tags.body).toMatchObject([{ name: 'v1' }]);
    const status = await trellis.as(admin).get(`/projects/${id}/import`).expect(200);
    expect(status.body).toMatchObject({ import_status: 'finished', import_error: null });
    const again = await runForJson();
    expect(again.code).toBe(0);
    expect(again.repositories.map(({ result }) => result)).toEqual(['present', 'present']);
  });

  it('updates the statistics of the tables', async () => {
    await makeClone(group, 'app');
    await run();
    const analyzed = await trellis.rows(
      `SELECT DISTINCT tablename FROM pg_stats WHERE tablename IN ('projects', 'users') ORDER BY tablename`,
    );
    expect(analyzed).toEqual([{ tablename: 'projects' }, { tablename: 'users' }]);
  });

  it('changes nothing in a dry run', async () => {
    await makeBare(group, 'lib.git');
    const { code, output } = await run('--dry-run');
    expect(code).toBe(0);
    expect(output).toContain(`imported  ${group}/lib.git -> ${group}/lib`);
    expect(output).toContain('Nothing was changed. It would be: 1 imported');
    await read(`${group}/lib`).expect(404);
    await trellis.as(admin).get(`/groups/${group}`).expect(404);
  });

  it('reports skipped repositories with the reason', async () => {
    const { user } = await trellis.factories.user();
    const other = await trellis.factories.group(admin, { path: group, name: group });
    await trellis.factories.project(admin, { name: 'taken', namespaceId: other.id });
    await makeBare(group, 'taken.git');
    await makeBare(group, 'lib.wiki.git');
    await makeBare('top.git');
    await makeBare('admin', 'x.git');
    await makeBare(user.username, 'own.git');
    await symlink('/etc', path.join(directory, 'link'));
    const { code, repositories } = await runForJson();
    expect(code).toBe(3);
    const reasons = repositories.map(({ source, reason }) => [source, reason] as const);
    expect(Object.fromEntries(reasons)).toEqual({
      [`${group}/taken.git`]: 'there is another project of that name',
      [`${group}/lib.wiki.git`]: 'is a wiki, which projects do not have here',
      'top.git': 'lies in no folder that could become a group: see --owner and --group',
      'admin/x.git': 'path admin is a reserved name',
      [`${user.username}/own.git`]: null,
      link: 'is a symbolic link',
    });
    const own = await read(`${user.username}/own`).expect(200);
    expect(own.body).toMatchObject({ creator_id: user.id, owner: { id: user.id } });
  });

  it('imports all of them into one namespace', async () => {
    const { user } = await trellis.factories.user({ projectsLimit: 1 });
    await makeBare('one', 'a.git');
    await makeBare('two.git');
    const { code, repositories } = await runForJson('--owner', user.username);
    expect(code).toBe(3);
    expect(repositories).toMatchObject(
      [
        { project: `${user.username}/one-a`, result: 'imported' },
        { project: `${user.username}/two`, result: 'skipped', reason: /limit is 1/ },
      ].map((one) => ({
        ...one,
        ...(one.reason && { reason: expect.stringMatching(one.reason) as string }),
      })),
    );
    const inGroup = await runForJson('--group', group);
    expect(inGroup.repositories).toMatchObject([
      { project: `${group}/one-a`, result: 'imported' },
      { project: `${group}/two`, result: 'imported' },
    ]);
  });

  it('continues an earlier run, and retries failures', async () => {
    await makeBare(group, 'lib.git');
    const made = await trellis.factories.group(admin, { path: group, name: group });
    const imports = trellis.app.get(OperatorImportsService);
    const folder = path.join(directory, group, 'lib.git');
    const source = { address: pathToFileURL(folder).href, repository: { folder } };
    const input = { namespaceId: made.id, name: 'lib', path: 'lib', switches: {} };
    // As a run leaves it that is killed before it has fetched anything.
    const project = await imports.create(admin.user, input, source);
    const absent = { ...source, repository: { folder: path.join(directory, 'absent') } };
    expect(await imports.fill(project, absent)).toMatch(
      /^The repository could not be fetched: .*absent/,
    );
    expect((await runForJson()).repositories).toMatchObject([{ result: 'imported' }]);
    const stored = trellis.app.get(ProjectStorage).path(project);
    expect(await git(['rev-parse', 'v1'], { cwd: stored })).toMatch(/^[0-9a-f]{40}$/);
    expect(
      (await readdir(path.dirname(stored))).filter((name) => name.includes('creating')),
    ).toEqual([]);
  });

  it('refuses its own folders, and missing directories', async () => {
    const args = ['import', 'repositories', trellis.dataDir];
    const own = await runCommand(args, trellis.sharedEnvironment);
    expect(own.code).toBe(2);
    expect(own.failure).toContain('has the files of this service');
    await rm(directory, { recursive: true });
    const absent = await run();
    expect(absent).toMatchObject({ code: 2, failure: `There is no directory ${directory}` });
  });
});
