/** @operation */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { openCommandDesk } from '../support/command-desk.js';
import type { Person } from '../support/factories.js';
import { freePort } from '../support/free-port.js';
import { newKey } from '../support/public-keys.js';
import { Trellis } from '../support/trellis.js';
import { git } from '../unit/git/support/workshop.js';
import {
  blocksOf,
  type CommandBlock,
  countFences,
  documentedPages,
  isAsShown,
} from './support/documented-commands.js';

jest.setTimeout(120_000);

/** Pages whose commands need a service of their own. */
const RUN_ELSEWHERE: Readonly<Record<string, string>> = {
  'docs/tour.md': 'test/contract/tour.spec.ts',
};
/** Between the outputs of two blocks. */
const SEPARATOR = '\u001e';
const TOKEN = 'token-of-the-page';

const pages = documentedPages();
const isReference = (page: string) => page.startsWith('docs/reference/');
const isRun = ({ excuse, runBy }: CommandBlock) => excuse === undefined && runBy === undefined;
const pagesToRun = pages
  .filter((page) => !isReference(page) && !(page in RUN_ELSEWHERE))
  .filter((page) => blocksOf(page).some(isRun));

describe('the commands of the documents', () => {
  let trellis: Trellis;
  let root: Person;
  let home: string;
  let desk: { close(): Promise<void> };
  let shell: ChildProcess | undefined;

  beforeAll(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'trellis-commands-'));
    trellis = await Trellis.start({
      because: 'state of the instance',
      runsJobs: true,
      env: { WEBHOOK_ALLOW_LOCAL: 'true' },
    });
    root = await trellis.factories.user({ username: 'root', admin: true, privateToken: TOKEN });
    for (const folder of ['bin', 'etc/trellis', 'srv/git/team', 'mnt/elsewhere']) {
      await mkdir(path.join(home, folder), { recursive: true });
    }
    const env = { ...trellis.sharedEnvironment, HOST: '127.0.0.1', SSH_PORT: 'off' };
    desk = await openCommandDesk(path.join(home, 'bin'), env);
    await trellis.factories.project(root, { name: 'tour' });
    await commit('root/tour', 'First');
    await git(['init', '--quiet', '--bare', path.join(home, 'srv/git/team/app.git')]);
  });
  afterAll(async () => {
    await desk.close();
    await trellis.stop();
    await rm(home, { recursive: true, force: true, maxRetries: 10 });
  });
  afterEach(() => {
    // What a page has started, should its shell not have come to the end of it.
    if (shell?.pid !== undefined) endGroup(shell.pid);
  });

  /** Makes a commit with a README on `master`. */
  async function commit(project: string, message: string, branch = 'master') {
    const file = { branch_name: branch, content: 'Read me\n', commit_message: message };
    const url = `/projects/${encodeURIComponent(project)}/repository/files`;
    const body = { ...file, file_path: `${message}.md` };
    await trellis.as(root).post(url, body).expect(200);
  }

  /** Runs a script in a folder of its own that has this repository's `docs`; returns what it printed. */
  async function run(script: string) {
    const folder = await mkdtemp(path.join(home, 'page-'));
    await symlink(path.resolve('docs'), path.join(folder, 'docs'));
    await writeFile(path.join(folder, 'README.md'), 'Read me\n');
    await mkdir(path.join(folder, '.ssh'));
    await writeFile(path.join(folder, '.ssh/id_ed25519.pub'), newKey());
    await writeFile(path.join(folder, 'deploy.pub'), newKey());
    const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: folder,
      detached: true,
      env: {
        PATH: `${path.join(home, 'bin')}:${process.env['PATH'] ?? ''}`,
        ...{
          HOME: folder,
          TOKEN,
          PASSWORD: root.password,
          API: `${trellis.url}/api/v3`,
          API_V4: `${trellis.url}/api/v4`,
        },
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    shell = child;
    const code = new Promise((resolve) => child.once('close', resolve));
    const [output, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { folder, output, complaints, code: await code };
  }

  it('are all run, or have a documented exception', () => {
    for (const page of pages) {
      const blocks = blocksOf(page);
      expect([page, blocks.length]).toEqual([page, countFences(page)]);
      const suites = blocks.flatMap(({ runBy }) => runBy ?? []);
      expect([page, suites.filter((suite) => !existsSync(suite))]).toEqual([page, []]);
    }
    expect(pages.flatMap(blocksOf).filter(isRun).length).toBeGreaterThan(200);
    expect(pagesToRun.length).toBeGreaterThan(4);
  });

  it.each(pagesToRun)('of %s can be pasted into a terminal', async (page) => {
    const port = String(await freePort());
    const blocks = blocksOf(page).filter(isRun);
    const script = blocks
      .map(({ code }) => code)
      .join(`\nprintf '${SEPARATOR}'\n`)
      .replaceAll('http://localhost:3000', trellis.url)
      .replaceAll('127.0.0.1:4000', `127.0.0.1:${port}`)
      .replaceAll('PORT=4000', `PORT=${port}`)
      .replace(/(?<=[\s=])\/(?=(?:etc\/trellis|srv|mnt)\b)/g, `${home}/`);
    const { output, complaints, code } = await run(script);
    expect({ code, complaints }).toEqual({ code: 0, complaints: '' });
    expect(output).not.toMatch(/"error":|"message":(?:\{|"\d{3} )/);
    const outputs = output.split(SEPARATOR);
    const wrong = blocks.filter(
      (block, index) =>
        block.output !== undefined && !isAsShown(outputs[index] ?? '', block.output),
    );
    expect(wrong).toEqual([]);
  });

  it('of the reference are valid requests', async () => {
    await fillReference();
    const lines = pages.filter(isReference).flatMap((page) =>
      blocksOf(page)
        .filter(isRun)
        .flatMap(({ code }) =>
          code
            .replace(/\\\n\s*/g, ' ')
            .trim()
            .split('\n'),
        )
        .map((line) => ({ page, line })),
    );
    const commands = lines
      .filter(({ line }) => line.startsWith('curl '))
      .map(({ page, line }) => `# ${page}\n${line}`);
    const variables = [
      'API=http://localhost:3000/api/v3',
      'TOKEN=your-private-token',
      'API_V4=http://localhost:3000/api/v4',
    ];
    expect(lines.length - commands.length).toBe(variables.length);
    expect(lines.map(({ line }) => line)).toEqual(expect.arrayContaining(variables));
    // One process sends all of them: those that read first, those that delete last, of these the whole after its parts.
    const sorted = [...commands].sort((a, b) => rankOf(a) - rankOf(b));
    const { folder, output, complaints, code } = await run(
      `all=() count=0
curl() {
  all+=(--next --silent --output "answer-$count" --write-out "%{http_code}\\n" "$@")
  count=$((count + 1))
}
${sorted.join('\n')}
command curl "\${all[@]:1}"`,
    );
    expect({ code, complaints }).toEqual({ code: 0, complaints: '' });
    const statuses = output.trim().split('\n').map(Number);
    expect(statuses).toHaveLength(commands.length);
    const answers = await Promise.all(
      sorted.map(async (command, index) => {
        const body = await readFile(path.join(folder, `answer-${String(index)}`), 'utf8').catch(
          () => '',
        );
        return { command, status: statuses[index] ?? 0, body: body.slice(0, 200) };
      }),
    );
    const misunderstood = answers.filter(
      ({ status, body }) => status === 415 || status >= 500 || /^\{"error":"/.test(body),
    );
    expect(misunderstood).toEqual([]);
    // Others name records that a command before them has removed, or that only a push or a delivery makes.
    const successes = answers.filter(({ status }) => status < 400);
    expect(successes.length / answers.length).toBeGreaterThan(2 / 3);
  });

  /** Makes what the examples of the reference name, under their ids. */
  async function fillReference(): Promise<void> {
    const { factories } = trellis;
    const mia = await factories.user({ username: 'mia', projectsLimit: 10 });
    for (const [table, id] of Object.entries(IDS)) {
      await trellis.rows(`ALTER TABLE ${table} ALTER COLUMN id RESTART WITH ${String(id)}`);
    }
    const group = await factories.group(root, { path: 'crew' });
    const [namespace] = await trellis.rows<{ id: number }>(
      'SELECT id FROM namespaces WHERE path = $1',
      [group.path],
    );
    const namespaceId = namespace?.id ?? 0;
    const project = await factories.project(root, { name: 'tour', namespaceId });
    await factories.project(root, { name: 'other' });
    await factories.addToProject(project, mia, 30);
    await commit('crew/tour', 'README');
    const at = '/projects/crew%2Ftour';
    const post = (address: string, body: object) =>
      trellis.as(root).post(`${at}${address}`, body).expect(200);
    await post('/repository/branches', { branch_name: 'topic', ref: 'master' });
    await commit('crew/tour', 'Second', 'topic');
    await post('/milestones', { title: '1.0' });
    await post('/labels', { name: 'bug', color: '#d9534f' });
    await post('/issues', { title: 'Write a manual', labels: 'bug' });
    const branches = { source_branch: 'topic', target_branch: 'master' };
    await post('/merge_requests', { title: 'Topic', ...branches });
    await post(`/issues/${String(IDS.issues)}/notes`, { body: 'One' });
    await post(`/merge_requests/${String(IDS.merge_requests)}/notes`, { body: 'Two' });
    await post('/hooks', { url: 'http://127.0.0.1:9/', push_events: false });
    await post('/statuses/master', { state: 'success', ref: 'master' });
    const tag = { tag_name: 'v1.0', ref: 'master' };
    await post('/repository/tags', tag);
  }
});

/** The ids of the examples. */
const IDS = {
  ...{ issues: 41, merge_requests: 12, milestones: 5, notes: 302 },
  ...{ emails: 3, award_emoji: 9, commit_statuses: 7 },
};

/** A lower rank is sent first. */
function rankOf(command: string): number {
  const sends = / (?:-d|-F|--data\S*) /.test(command) ? 'POST' : 'GET';
  const method = / -X (\w+)/.exec(command)?.[1] ?? sends;
  const depth = command.split('/').length;
  return ['GET', 'POST', 'PUT', 'DELETE'].indexOf(method) * 100 - (method === 'DELETE' ? depth : 0);
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
