/** @operation */
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ServerImportState } from '../../../src/cli/import/server/import-state.js';
import { RemoteServer } from '../../../src/cli/import/server/remote-server.js';
import { ServerImporter } from '../../../src/cli/import/server/server-importer.js';
import { DemoSeeder } from '../../../src/cli/seed/demo-seeder.js';
import { DEMO_SIZES } from '../../../src/cli/seed/demo-texts.js';
import { CountersRepository } from '../../../src/modules/issuables/model/counters/counters.repository.js';
import { VerifyCountersJob } from '../../../src/modules/issuables/model/counters/verify-counters.job.js';
import { OperatorImportsService } from '../../../src/modules/projects/index.js';
import { runCommand } from '../../support/commands.js';
import type { Person } from '../../support/factories.js';
import { Forks } from '../../support/forks.js';
import { ServiceProcess } from '../../support/service-process.js';
import { SILENT_TERMINAL } from '../../support/silent-terminal.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(240_000);

const PROJECTS = ['demo-apps/website', 'demo-apps/service', 'demo-libs/text-tools'];

type Rows = Record<string, unknown>[];

describe('trellis import server', () => {
  let source: Trellis;
  let sourceAdmin: Person;
  let target: Trellis;
  let admin: Person;
  let folder: string;
  const originals = new Map<string, Promise<unknown>>();

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'trellis-import-'));
    source = await Trellis.start({ because: 'state of the instance' });
    sourceAdmin = await source.factories.user({ admin: true, username: 'remote-admin' });
    await new DemoSeeder(source.app, DEMO_SIZES.small, SILENT_TERMINAL).create();
    await enrich();
  });
  afterAll(async () => {
    await source.stop();
    await rm(folder, { recursive: true, force: true });
  });

  beforeEach(async () => {
    target = await Trellis.start({ because: 'state of the instance' });
    admin = await target.factories.admin();
  });
  afterEach(() => target.stop());

  /** Adds to the website what the demo data lack. */
  async function enrich(): Promise<void> {
    const client = source.as(sourceAdmin);
    const at = '/projects/demo-apps%2Fwebsite';
    const issue = { title: 'Ümlaut and a very secret', confidential: true, due_date: '2030-01-31' };
    await client.post(`${at}/issues`, { ...issue, created_at: '2019-05-06T07:08:09Z' }).expect(200);
    await client.put(`${at}/repository/branches/add-search/protect`, {
      developers_can_push: true,
    });
    await client
      .post(`${at}/hooks`, { url: 'http://hooks.example.com/in?key=1', token: 'secret-token' })
      .expect(200);
    await client.post(`${at}/keys`, { title: 'deploy', key: DEPLOY_KEY }).expect(200);
    await client.put(at, { visibility_level: 20, description: 'Shown to all' }).expect(200);
  }

  const stateFile = (name = 'state') => path.join(folder, `${target.dataDir.slice(-6)}-${name}`);

  async function open(
    options: Partial<Parameters<typeof ServerImporter.open>[3]> = {},
    server = at(),
  ) {
    const state = await ServerImportState.open(stateFile(), server.url, true);
    const settings = {
      ...{ groups: [], projects: PROJECTS, createUsers: true, existingGroups: false },
      dryRun: false,
    };
    return {
      state,
      work: await ServerImporter.open(
        target.app,
        server,
        sourceAdmin.token,
        { as: undefined, ...settings, ...options },
        state,
        SILENT_TERMINAL,
      ),
    };
  }

  const at = () => RemoteServer.at(source.url, sourceAdmin.token, { pauseMs: 1 });

  async function run(options: Parameters<typeof open>[0] = {}) {
    const { state, work } = await open(options);
    await work.importAll();
    return state.report.toJson();
  }

  /** What readers see of a project, without what is the server's own. */
  async function contents(trellis: Trellis, person: Person, project: string) {
    const client = trellis.as(person);
    const base = `/projects/${encodeURIComponent(project)}`;
    const list = async (below: string): Promise<Rows> => {
      const answer = await client.get(`${base}${below}`).expect(200);
      return answer.body as Rows;
    };
    const withNotes = async (segment: string): Promise<Rows> => {
      const found = await list(`/${segment}?state=all&order_by=created_at&sort=asc`);
      return Promise.all(
        found.map(async (one) => ({
          ...one,
          notes: await list(`/${segment}/${String(one['id'])}/notes`),
        })),
      );
    };
    const { body } = await client.get(base).expect(200);
    const requests = await withNotes('merge_requests');
    return comparable({
      project: body,
      issues: await withNotes('issues'),
      requests: await Promise.all(
        requests.map(async (one) => {
          const answer = await client
            .get(`${base}/merge_requests/${String(one['id'])}/changes`)
            .expect(200);
          return { ...one, changes: (answer.body as Record<string, unknown>)['changes'] };
        }),
      ),
      labels: await list('/labels'),
      milestones: await list('/milestones'),
      branches: await list('/repository/branches'),
      tags: await list('/repository/tags'),
    });
  }

  /** What readers see of a project of the source, which no import changes. */
  function original(project: string): Promise<unknown> {
    const known = originals.get(project) ?? contents(source, sourceAdmin, project);
    originals.set(project, known);
    return known;
  }

  it('imports the visible data of groups and projects', async () => {
    const report = await run();
    expect(report.counts).toMatchObject({
      groups: 2,
      projects: 3,
      issues: 19,
      'merge requests': 12,
    });
    expect(report.problems).toEqual([
      {
        what: 'demo-apps/website hook http://hooks.example.com/in',
        reason: 'is disabled until it is saved, with its token if it has one',
      },
    ]);
    for (const project of PROJECTS) {
      expect(await contents(target, admin, project)).toEqual(await original(project));
    }
    const members = await target.as(admin).get('/groups/demo-apps/members').expect(200);
    expect((members.body as Rows).map((one) => [one['username'], one['access_level']])).toEqual(
      expect.arrayContaining([
        ['demo-owner', 50],
        ['demo-guest', 10],
      ]),
    );
    const [audited] = await target.rows(
      `SELECT count(*)::int AS entries, (SELECT count(*)::int FROM (
                SELECT FROM group_members m JOIN users u ON u.id = m.user_id AND u.username LIKE 'demo-%'
                UNION ALL
                SELECT FROM project_members m JOIN users u ON u.id = m.user_id AND u.username LIKE 'demo-%'
              ) AS added) AS members
         FROM audit_events WHERE action = 'member.added' AND target_name LIKE 'demo-%'`,
    );
    expect(audited?.['members']).toBeGreaterThan(3);
    expect(audited?.['entries']).toBe(audited?.['members']);
    const users = await target.rows('SELECT state, admin FROM users WHERE username LIKE $1', [
      'demo-%',
    ]);
    expect(users).toEqual(Array(5).fill({ state: 'blocked', admin: false }));
    const hooks = await target.rows('SELECT url, token_sealed, disabled_reason FROM hooks');
    expect(hooks).toEqual([
      { url: 'http://hooks.example.com/in?key=1', token_sealed: null, disabled_reason: 'imported' },
    ]);
    const keys = await target.as(admin).get('/projects/demo-apps%2Fwebsite/keys').expect(200);
    expect(keys.body).toMatchObject([{ title: 'deploy' }]);
  });

  it('creates no todos, deliveries and events, and continues the numbering of the other server', async () => {
    await run();
    expect(await target.rows('SELECT 1 FROM todos')).toEqual([]);
    expect(await target.rows('SELECT 1 FROM hook_deliveries')).toEqual([]);
    const events = await target.rows(
      `SELECT DISTINCT action FROM events WHERE target_type IS NOT NULL`,
    );
    expect(events).toEqual([]);
    const website = '/projects/demo-apps%2Fwebsite';
    const made = await target.as(admin).post(`${website}/issues`, { title: 'New' }).expect(200);
    expect(made.body).toMatchObject({ iid: 8 });
    const milestone = await target.as(admin).post(`${website}/milestones`, { title: 'New' });
    expect(milestone.body).toMatchObject({ iid: 3 });
    const counters = target.app.get(CountersRepository);
    const corrections = [
      jest.spyOn(counters, 'correctTarget'),
      jest.spyOn(counters, 'correctProject'),
    ];
    const { signal } = new AbortController();
    await target.app.get(VerifyCountersJob).handle({}, { signal });
    expect(corrections.map((spy) => spy.mock.calls)).toEqual([[], []]);
  });

  it('names authors without account, and matches accounts by address and by name', async () => {
    const known = await target.factories.user({
      username: 'developer-here',
      email: 'demo-developer@example.com',
    });
    const report = await run({ createUsers: false, projects: ['demo-libs/text-tools'] });
    expect(report.problems.map(({ what }) => what)).toEqual(
      expect.arrayContaining(['user demo-reporter', 'user demo-guest']),
    );
    const at = '/projects/demo-libs%2Ftext-tools';
    const issues = (await target.as(admin).get(`${at}/issues?sort=asc`).expect(200)).body as Rows;
    expect(issues[0]).toMatchObject({ iid: 1, author: { id: known.user.id } });
    const id = String(issues[1]?.['id']);
    const notes = (await target.as(admin).get(`${at}/issues/${id}/notes`).expect(200)).body as Rows;
    const written = notes.find((note) => note['system'] === false);
    expect(written).toMatchObject({
      author: { id: admin.user.id },
      body: expect.stringMatching(
        /^\*By Demo (?:guest|reporter) on \d{4}-\d\d-\d\d\*\n\n/,
      ) as string,
    });
    expect(await target.rows('SELECT 1 FROM users WHERE username LIKE $1', ['demo-%'])).toEqual([]);
  });

  it('postpones merge requests when the repository cannot be fetched', async () => {
    const [project = ''] = PROJECTS;
    const { state, work } = await open({ projects: [project] });
    const imports = target.app.get(OperatorImportsService);
    const fill = jest.spyOn(imports, 'fill').mockResolvedValue('The server could not be reached');
    await work.importAll();
    fill.mockRestore();
    const base = `/projects/${encodeURIComponent(project)}`;
    const halfway = await target.as(admin).get(base).expect(200);
    expect(halfway.body).toMatchObject({ issues_enabled: true, merge_requests_enabled: false });
    const fetching = `${project}: has no repository (The server could not be reached)`;
    expect(state.report.toText('')).toContain(fetching);
    const { problems } = await run({ projects: [project] });
    expect(problems.map(({ what }) => what)).not.toContain(project);
    expect(await contents(target, admin, project)).toEqual(await original(project));
  });

  it('continues after an interruption at any request, without duplicates and gaps', async () => {
    let total = Infinity;
    for (let limit = 5; limit < total; limit += 45) {
      let requests = 0;
      const server = at();
      for (const name of ['get', 'list'] as const) {
        const original = server[name].bind(server) as (...args: unknown[]) => unknown;
        Object.assign(server, {
          [name]: (...args: unknown[]) => {
            requests += 1;
            if (requests > limit) throw new Error('The power is gone');
            return original(...args);
          },
        });
      }
      try {
        const { work } = await open({}, server);
        await work.importAll();
        total = limit;
      } catch (error) {
        expect(String(error)).toContain('The power is gone');
      }
    }
    for (const project of PROJECTS) {
      expect(await contents(target, admin, project)).toEqual(await original(project));
    }
    const before = await target.rows('SELECT count(*) FROM notes');
    const { counts } = await run();
    expect(counts).toMatchObject({ projects: 3 });
    expect(await target.rows('SELECT count(*) FROM notes')).toEqual(before);
  });

  describe('as a command', () => {
    const commandWith = async (...options: string[]): Promise<string[]> => {
      const tokenFile = path.join(folder, 'token');
      await writeFile(tokenFile, `${sourceAdmin.token}\n`, { mode: 0o600 });
      return ['import', 'server', source.url, '--token-file', tokenFile, ...options];
    };
    /** Runs it in this process. */
    const run = async (...options: string[]) => {
      const { code, output, notes } = await runCommand(
        await commandWith(...options),
        target.sharedEnvironment,
      );
      return { code, output: `${notes}${output}` };
    };

    /** The user names of the members, authors and assignees of projects on the other server. */
    const peopleOf = async (projects: string[]): Promise<string[]> => {
      const rows = await source.rows<{ username: string }>(
        `WITH own AS (SELECT p.id, p.namespace_id FROM projects p JOIN namespaces n ON n.id = p.namespace_id
                       WHERE n.path || '/' || p.path = ANY($1::text[]))
         SELECT username FROM users WHERE id IN (
           SELECT user_id FROM project_members WHERE project_id IN (SELECT id FROM own)
           UNION SELECT user_id FROM group_members WHERE group_id IN (SELECT namespace_id FROM own)
           UNION SELECT unnest(ARRAY[author_id, assignee_id]) FROM issues WHERE project_id IN (SELECT id FROM own)
           UNION SELECT unnest(ARRAY[author_id, assignee_id]) FROM merge_requests
                  WHERE project_id IN (SELECT id FROM own))`,
        [projects],
      );
      return rows.map(({ username }) => username).sort();
    };
    const countOf = async (table: string): Promise<number> => {
      const [row] = await target.rows<{ count: number }>(
        `SELECT count(*)::int AS count FROM ${table}`,
      );
      return row?.count ?? 0;
    };

    it('plans, is killed, is resumed, and reports', async () => {
      const plan = await run('--dry-run', '--groups', 'demo-apps');
      expect(plan.code).toBe(3);
      expect(plan.output).toContain('2 projects');
      const missing = [...plan.output.matchAll(/^ {2}user (\S+): has no account here/gm)];
      const people = missing.map(([, name = '']) => name).sort();
      expect(people).toEqual(await peopleOf(['demo-apps/service', 'demo-apps/website']));
      const withUsers = await run('--dry-run', '--groups', 'demo-apps', '--create-users');
      expect(withUsers.code).toBe(0);
      expect(withUsers.output).toContain(`${String(people.length)} users`);
      expect(await target.rows('SELECT 1 FROM projects')).toEqual([]);

      const killed = ServiceProcess.run(
        await commandWith('--groups', 'demo-apps', '--create-users'),
        target.sharedEnvironment,
      );
      await untilRow('SELECT 1 FROM issues');
      process.kill(killed.pid, 'SIGKILL');
      await killed.ended;
      const resumed = await run('--groups', 'demo-apps', '--create-users', '--resume', '--json');
      expect(resumed.code).toBe(3);
      const { counts } = JSON.parse(resumed.output.slice(resumed.output.indexOf('{'))) as {
        counts: Record<string, number>;
      };
      expect(counts).toMatchObject({
        users: people.length,
        groups: 1,
        projects: 2,
        issues: await countOf('issues'),
        'merge requests': await countOf('merge_requests'),
        notes: await countOf('notes'),
        labels: await countOf('labels'),
      });
      for (const project of PROJECTS.slice(0, 2)) {
        expect(await contents(target, admin, project)).toEqual(await original(project));
      }
      const file = path.join(
        target.dataDir,
        'imports',
        `${new URL(source.url).host.replace(':', '_')}.json`,
      );
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      expect(await readFile(file, 'utf8')).not.toContain(sourceAdmin.token);
      const again = await run();
      expect(again.code).toBe(1);
      expect(again.output).toContain('--resume continues it');
    });
  });

  // Last, since the other projects get a merge request by it.
  it('imports forks, and merge requests from them', async () => {
    const { body } = await source.as(sourceAdmin).get('/projects/demo-apps%2Fservice').expect(200);
    const { id } = body as { id: number };
    const forks = new Forks(source);
    const fork = await forks.make(sourceAdmin, { id });
    await forks.copy(fork, { id });
    const branches = {
      source_branch: 'add-search',
      target_branch: 'master',
      target_project_id: id,
    };
    const made = await source
      .as(sourceAdmin)
      .post(`/projects/${String(fork.id)}/merge_requests`, { ...branches, title: 'From afar' })
      .expect(200);
    const report = await run({ projects: [] });
    expect(report.counts).toMatchObject({ projects: 4, 'merge requests': 13 });
    const reader = target.as(admin);
    const copy = (await reader.get('/projects/remote-admin%2Fservice').expect(200)).body as Record<
      string,
      unknown
    >;
    expect(copy).toMatchObject({
      forked_from_project: { path_with_namespace: 'demo-apps/service' },
      owner: { username: 'remote-admin' },
    });
    const { iid } = made.body as { iid: number };
    const list = `/projects/demo-apps%2Fservice/merge_requests?iid=${String(iid)}`;
    const [request] = (await reader.get(list).expect(200)).body as Rows;
    expect(request).toMatchObject({ state: 'opened', source_project_id: copy['id'] });
    const changes = await reader
      .get(`/projects/demo-apps%2Fservice/merge_requests/${String(request?.['id'])}/changes`)
      .expect(200);
    expect(changes.body).toMatchObject({ changes: [{ new_path: 'src/add-search.txt' }] });
  });

  async function untilRow(sql: string): Promise<void> {
    while ((await target.rows(sql)).length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
});

/** Removes IDs, addresses and what the reader's account decides; sorts what has no order. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(comparable);
    return items.every((item) => typeof item === 'object' && item !== null && 'name' in item)
      ? items.sort((one, other) => ((one as Named).name < (other as Named).name ? -1 : 1))
      : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(
    ([name]) =>
      !OWN_FIELDS.has(name) &&
      !(name === 'merge_status' && 'state' in value && value.state !== 'merged') &&
      !('username' in value && name === 'state'),
  );
  return Object.fromEntries(fields.map(([name, field]) => [name, comparable(field)]));
}

interface Named {
  name: string;
}

const OWN_FIELDS = new Set(
  `id project_id noteable_id source_project_id target_project_id web_url ssh_url_to_repo
   http_url_to_repo avatar_url permissions runners_token creator_id namespace subscribed
   forks_count last_activity_at url forked_from_project`.split(/\s+/),
);

const DEPLOY_KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJcoWcXEDnDVbCLs1KpGqbEyuT5n4tSjv3yNq3ppZqYF deploy';
