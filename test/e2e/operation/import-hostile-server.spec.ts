/** @operation */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ServerImportState } from '../../../src/cli/import/server/import-state.js';
import { RemoteServer } from '../../../src/cli/import/server/remote-server.js';
import { ServerImporter } from '../../../src/cli/import/server/server-importer.js';
import { OperatorImportsService } from '../../../src/modules/projects/index.js';
import type { Person } from '../../support/factories.js';
import { SILENT_TERMINAL } from '../../support/silent-terminal.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const TIME = '2016-05-06T07:08:09Z';

type Json = Record<string, unknown>;

/** What the other server answers by path; 404 for any other one, a number is a status. */
type Answers = Record<string, unknown>;

describe('an import from an untrusted server', () => {
  let remote: Server;
  let answers: Answers;
  let target: Trellis;
  let admin: Person;
  let folder: string;
  let runs = 0;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'trellis-hostile-'));
    const git = (...args: string[]): Buffer =>
      execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
        cwd: folder,
      });
    git('init', '--quiet', '--initial-branch=master', 'source');
    git('-C', 'source', 'commit', '--quiet', '--allow-empty', '--message=First');
    remote = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '', 'http://x');
      const answer = answers[pathname.replace('/api/v3', '')] ?? 404;
      if (typeof answer === 'number') response.writeHead(answer).end();
      else response.end(JSON.stringify(answer));
    });
    await new Promise<void>((resolve) => remote.listen(0, '127.0.0.1', resolve));
    target = await Trellis.start({ because: 'state of the instance' });
    admin = await target.factories.admin();
    const imports = target.app.get(OperatorImportsService);
    const fill = imports.fill.bind(imports);
    const repository = { folder: path.join(folder, 'source', '.git') };
    jest
      .spyOn(imports, 'fill')
      .mockImplementation((project, source) => fill(project, { ...source, repository }));
  });
  afterAll(async () => {
    await target.stop();
    await new Promise((resolve) => remote.close(resolve));
    await rm(folder, { recursive: true, force: true });
  });

  beforeEach(() => {
    answers = { '/user': { id: 1, username: 'remote-admin', is_admin: false } };
  });

  const group = (name: string): Json => ({ id: 7, name, path: name, visibility_level: 20 });

  function addGroup(name: string, members: readonly Json[] = []): void {
    answers[`/groups/${name}`] = group(name);
    answers[`/groups/${name}/members`] = members;
  }

  function addProject(id: number, name: string, fields: Json = {}): void {
    const [namespace = '', own = ''] = name.split('/');
    const project = {
      ...{ id, name: own, path: own, path_with_namespace: name, namespace: group(namespace) },
      ...{ created_at: TIME, visibility_level: 20, ...fields },
    };
    answers['/projects/all'] = [...((answers['/projects/all'] ?? []) as Json[]), project];
    answers['/groups'] ??= [];
    if (answers[`/groups/${namespace}`] === undefined) addGroup(namespace);
  }

  async function run(existingGroups = false): Promise<string[]> {
    const { port } = remote.address() as AddressInfo;
    const server = RemoteServer.at(`http://127.0.0.1:${String(port)}`, 'token', { pauseMs: 1 });
    runs += 1;
    const state = await ServerImportState.open(path.join(folder, String(runs)), server.url, false);
    const work = await ServerImporter.open(
      target.app,
      server,
      'token',
      {
        ...{ groups: [], projects: [], createUsers: false, dryRun: false, as: undefined },
        existingGroups,
      },
      state,
      SILENT_TERMINAL,
    );
    await work.importAll();
    return state.report.toJson().problems.map(({ what, reason }) => `${what}: ${reason}`);
  }

  const issue = (iid: number, fields: Json = {}): Json => {
    const title = `Issue ${String(iid)}`;
    return { id: 100, iid, title, state: 'opened', created_at: TIME, ...fields };
  };

  it('grants no rights in an existing group, and shows it no data', async () => {
    const owner = await target.factories.user({ username: 'owner-here' });
    const stranger = await target.factories.user({ username: 'stranger' });
    await target.as(owner).post('/groups', { name: 'team', path: 'team', visibility_level: 0 });
    addGroup('team', [{ id: 5, username: 'stranger', access_level: 50 }]);
    answers['/groups'] = [group('team')];
    addProject(1, 'team/secret', { visibility_level: 0 });
    expect(await run()).toContain(
      'team: is a group here, whose members would see what it gets (--existing-groups)',
    );
    await target.as(stranger).get('/groups/team').expect(404);
    await target.as(owner).get('/projects/team%2Fsecret').expect(404);
    await run(true);
    await target.as(stranger).get('/groups/team').expect(200);
    await target.as(owner).get('/projects/team%2Fsecret').expect(200);
  });

  it('keeps projects that another import has finished', async () => {
    addProject(1, 'twice/app');
    await run();
    const client = target.as(admin);
    const at = '/projects/twice%2Fapp';
    await client.put(at, { visibility_level: 0, issues_enabled: false }).expect(200);
    expect(await run(true)).toEqual([
      'twice/app: is here from another import: the file of its progress goes on with it',
    ]);
    const { body } = await client.get(at).expect(200);
    expect(body).toMatchObject({ visibility_level: 0, issues_enabled: false });
  });

  it.each<[string, Json, Answers]>([
    ['times that are none', { created_at: 'yesterday' }, {}],
    ['a parent without ID', { forked_from_project: {} }, {}],
    ['a list that is none', {}, { '/projects/1/issues': { message: 'no' } }],
    ['an error', {}, { '/projects/1/merge_requests': 500 }],
    ['one below', {}, { '/projects/1/issues': [issue(1)], '/projects/1/issues/100/notes': 500 }],
  ])('continues with the next project after %s', async (_, fields, more) => {
    const own = `next-${String(runs)}`;
    addProject(1, `${own}/bad`, fields);
    addProject(2, `${own}/good`);
    Object.assign(answers, more);
    expect((await run()).join()).toContain(`${own}/bad: is not finished, --resume tries again: `);
    const good = await target.as(admin).get(`/projects/${own}%2Fgood`).expect(200);
    expect(good.body).toMatchObject({ visibility_level: 20, issues_enabled: true });
  });

  it('omits dates and numbers that are out of range', async () => {
    addProject(1, 'odd/app');
    const highest = { iid: 2 ** 31 - 1 };
    answers['/projects/1/issues'] = [issue(1, { due_date: '0000-01-01' }), issue(2, highest)];
    answers['/projects/1/milestones'] = [issue(1, { ...highest, state: 'active' })];
    const problems = (await run()).join();
    expect(problems).toContain('odd/app issues: /projects/1/issues: iid is not as expected');
    expect(problems).toContain(
      'odd/app milestones: /projects/1/milestones: iid is not as expected',
    );
    for (const kind of ['issues', 'milestones']) {
      const list = `/projects/odd%2Fapp/${kind}`;
      await target.as(admin).post(list, { title: 'New' }).expect(200);
    }
  });

  it('requests no repository outside the address of the server', async () => {
    addProject(1, 'outside/app', { path_with_namespace: '../app' });
    expect(await run()).toContain('../app: is not in a group or in the namespace of a user');
  });
});
