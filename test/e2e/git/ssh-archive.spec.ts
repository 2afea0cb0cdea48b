import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Client } from 'ssh2';
import { FLUSH_PACKET, pktLine } from '../../../src/git/index.js';
import { DownloadSlots } from '../../../src/modules/authorization/index.js';
import { ProjectStorage } from '../../../src/modules/storage/index.js';
import { SshCommandRunner } from '../../../src/modules/git-access/ssh/ssh-command-runner.js';
import { archiveMadeByGit } from '../../support/archives.js';
import { childCommands } from '../../support/child-commands.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { branchPushBody, packOfLargeFile } from '../../support/raw-pack.js';
import { sendPush } from '../../support/raw-push.js';
import { beginCommand, runCommand, SshPerson } from '../../support/ssh-person.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';
import { tryGit } from '../../unit/git/support/workshop.js';

jest.setTimeout(120_000);

const MISSING = 'The project you were looking for could not be found.';
const DENIED = 'You are not allowed to download code from this project.';

/** Options of `git archive`; one that is not in either list has to be judged. */
const SERVED = ['--format', '--list', '--mtime', '--prefix', '--verbose', '--worktree-attributes'];
const REFUSED: readonly [option: string, reason: RegExp][] = [
  ['--add-file', /NACK files of the server are not served/],
  ['--add-virtual-file', /NACK files of the server are not served/],
  ['--exec', /fatal: .*--exec\b.*--remote/],
  ['--output', /fatal: Unexpected option --output/],
  ['--remote', /fatal: Unexpected option --remote/],
];

describe('git archive over SSH', () => {
  let trellis: Trellis;
  let owner: Person;
  let keys: SshPerson;
  /** Signed in over SSH. */
  let connection: Client;
  let projects: PushedProjects;
  let pushed: PushedProject;
  const made: SshPerson[] = [];

  beforeAll(async () => {
    trellis = await Trellis.shared({ servesSsh: true });
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    keys = await holder(owner);
    projects = new PushedProjects(trellis, owner);
    pushed = await projects.make();
    await mkdir(path.join(pushed.work.folder, 'dir'));
    await pushed.work.commit('A folder', 'dir/file.txt');
    pushed.head = await pushed.work.commit('More', 'more.txt');
    await pushed.work.git('tag', 'v1');
    expect((await pushed.work.push('HEAD:master', 'v1')).code).toBe(0);
    connection = await keys.connect();
  });
  afterAll(async () => {
    await endAll([connection]);
    await projects.remove();
    await Promise.all(made.map((one) => one.remove()));
    await trellis.restore();
  });

  async function holder(person: Person | null): Promise<SshPerson> {
    const one = await SshPerson.create(trellis, person);
    made.push(one);
    return one;
  }

  async function endAll(clients: readonly Client[]): Promise<void> {
    const closed = clients.map((client) => once(client, 'close'));
    for (const client of clients) client.end();
    await Promise.all(closed);
  }

  const archive = (one: SshPerson, project: MadeProject, ...args: string[]) =>
    one.git(['archive', `--remote=${one.url(project)}`, ...args]);
  /** The request bytes that `git archive` sends, and what is answered. */
  const talk = (args: string[], end: Buffer = FLUSH_PACKET) => {
    const packets = args.map((argument) => pktLine(`argument ${argument}\n`));
    const command = `git-upload-archive '${pushed.project.fullPath}.git'`;
    return runCommand(connection, command, { input: Buffer.concat([...packets, end]) });
  };

  /** Behind the length of the packet. */
  const nack = (answer: { stdout: string }) => answer.stdout.slice(4);

  it.each([
    ['tar', 'master'],
    ['zip', 'v1'],
    ['tar', 'HEAD'],
  ] as const)('matches the output of git archive: %s of %s', async (format, ref) => {
    const folder = 'folder';
    const file = path.join(keys.folder, `${ref}.${format}`);
    const options = [`--format=${format}`, `--prefix=${folder}/`, `--output=${file}`];
    expect(await archive(keys, pushed.project, ...options, ref)).toMatchObject({
      code: 0,
      stderr: '',
    });
    const terms = { format, commit: pushed.head, folder };
    const expected = await archiveMadeByGit(pushed.work.folder, keys.folder, terms);
    expect((await readFile(file)).equals(expected)).toBe(true);
  });

  it('supports selected paths, folders of a ref, and compression', async () => {
    const names = async (...args: string[]) => {
      const file = path.join(keys.folder, 'chosen.tar');
      const answer = await archive(keys, pushed.project, `--output=${file}`, ...args);
      expect(answer).toMatchObject({ code: 0, stderr: '' });
      const { stdout } = await promisify(execFile)('tar', ['-tf', file]);
      return stdout.trim().split('\n').sort();
    };
    expect(await names('master', 'dir')).toEqual(['dir/', 'dir/file.txt']);
    expect(await names('master:dir')).toEqual(['file.txt']);
    expect(await names('--format=tar.gz', 'v1', '--', 'more.txt')).toEqual(['more.txt']);
    const formats = await archive(keys, pushed.project, '--list');
    expect(formats.stdout.split('\n')).toEqual(expect.arrayContaining(['tar', 'tar.gz', 'zip']));
  });

  it('serves only refs and their folders', async () => {
    for (const [what, text] of [
      [pushed.head, 'no such ref'],
      [`${pushed.head}^{tree}`, 'no such ref'],
      ['master^', 'no such ref'],
      ['nowhere', 'no such ref'],
      ['master:nowhere', 'not a valid object name'],
    ] as const) {
      const answer = await archive(keys, pushed.project, what);
      expect(answer.code).not.toBe(0);
      expect(answer.stdout).toBe('');
      expect(answer.stderr.toLowerCase()).toContain(text);
    }
    const empty = await trellis.factories.project(owner);
    expect((await archive(keys, empty, 'HEAD')).code).not.toBe(0);
  });

  it('reads no files of the server', async () => {
    const there = path.join(trellis.dataDir, 'ssh_host_rsa_key');
    for (const args of [
      [`--add-file=${there}`, 'HEAD'],
      ['--add-file=/nowhere', 'HEAD'],
      [`--add-f=${there}`, 'HEAD'],
      ['--prefix', '--', `--add-file=${there}`, 'HEAD'],
      ['--add-virtual-file=a:b', 'HEAD'],
    ]) {
      const answer = await talk(args);
      expect(answer.code).toBe(128);
      expect(nack(answer)).toBe('NACK files of the server are not served\n');
    }
    const output = path.join(trellis.dataDir, 'written');
    for (const args of [[`--output=${output}`], ['-o', output]]) {
      expect((await talk([...args, 'HEAD'])).stdout).toContain('Unexpected option --output');
    }
    await expect(readFile(output)).rejects.toThrow('ENOENT');
  });

  it('either serves or refuses each option of the installed git', async () => {
    const help = await tryGit(['archive', '-h'], { cwd: pushed.work.folder });
    const listed = [...`${help.stdout}${help.stderr}`.matchAll(/^ {4}(?:-\w, )?(--[a-z-]+)/gm)];
    expect(listed.length).toBeGreaterThan(5);
    const known = [...SERVED, ...REFUSED.map(([option]) => option)];
    expect(known).toEqual(expect.arrayContaining(listed.map(([, option]) => option)));
    for (const [option, reason] of REFUSED) {
      const { stdout } = await talk([`${option}=/nowhere`, 'HEAD']);
      expect(stdout).toMatch(reason);
    }
    // A bare repository has no working tree.
    const plain = await talk(['--format=tar', 'HEAD']);
    const withAttributes = await talk(['--format=tar', '--worktree-attributes', 'HEAD']);
    expect(withAttributes.stdout).toBe(plain.stdout);
  });

  it('refuses malformed, truncated and long requests', async () => {
    const malformed = 'NACK the request is malformed or incomplete\n';
    expect(nack(await talk(['HEAD'], Buffer.alloc(0)))).toBe(malformed);
    expect(nack(await talk([], Buffer.from('what is this')))).toBe(malformed);
    expect(nack(await talk([], pktLine('option HEAD\n')))).toBe(malformed);
    const many = Array.from({ length: 64 }, () => 'HEAD');
    expect(nack(await talk(many))).toBe('NACK too many arguments\n');
    const long = ['x'.repeat(40_000), 'y'.repeat(40_000)];
    expect(nack(await talk(long))).toBe('NACK the request is too long\n');
    expect((await talk(['HEAD'])).code).toBe(0);
  });

  it('requires the right to fetch', async () => {
    const { project } = await projects.make();
    const person = await trellis.factories.user();
    const one = await holder(person);
    const stderr = async (who: SshPerson) =>
      (await archive(who, project, '--output=/dev/null', 'HEAD')).stderr.split('\n');
    expect(await stderr(one)).toContain(MISSING);
    await trellis.factories.addToProject(project, person, 10);
    expect(await stderr(one)).toContain(DENIED);
    await trellis.rows('UPDATE project_members SET access_level = 20 WHERE user_id = $1', [
      person.user.id,
    ]);
    expect(await stderr(one)).toEqual(['']);
    await trellis.rows('UPDATE projects SET archived = true WHERE id = $1', [project.id]);
    expect(await stderr(one)).toEqual(['']);

    const machine = await holder(null);
    await trellis
      .as(owner)
      .post(`/projects/${String(project.id)}/deploy_keys`, { title: 'x', key: machine.line })
      .expect(200);
    expect(await stderr(machine)).toEqual(['']);
    const elsewhere = await archive(machine, pushed.project, 'HEAD');
    expect(elsewhere.stderr.split('\n')).toContain(MISSING);
  });

  it('counts as a download of the user, and leaves the queue with its client', async () => {
    const slots = trellis.app.get(DownloadSlots);
    const caller = { address: '127.0.0.1', userId: owner.user.id };
    const taken = [1, 2, 3, 4].map(() => slots.take(caller));
    const acquire = jest.spyOn(slots, 'acquire');
    const command = `git-upload-archive '${pushed.project.fullPath}.git'`;
    const args = [...keys.options('-T'), 'git@127.0.0.1', command];
    const client = spawn('ssh', args, { stdio: ['pipe', 'ignore', 'ignore'] });
    client.stdin.write(Buffer.concat([pktLine('argument HEAD\n'), FLUSH_PACKET]));
    await until(() => Promise.resolve(acquire.mock.calls.length === 1));
    const before = trellis.git.spawnCount;
    const left = expect(acquire.mock.results[0]?.value).rejects.toThrow();
    client.kill('SIGKILL');
    await left;
    acquire.mockRestore();
    for (const release of taken) release();
    expect(slots.taken).toBe(0);
    expect(trellis.git.spawnCount).toBe(before);
    expect((await archive(keys, pushed.project, '--output=/dev/null', 'HEAD')).code).toBe(0);
  });

  it('holds no slot for an idle client, and stops git on disconnect', async () => {
    const { project } = await projects.make();
    const body = branchPushBody('large', packOfLargeFile(24_000_000));
    expect(await sendPush(trellis, { project, person: owner }, body)).toContain(
      'ok refs/heads/large',
    );
    const command = `git-upload-archive '${project.fullPath}.git'`;
    const argument = pktLine('argument large\n');
    const repository = trellis.app.get(ProjectStorage).path({ id: project.id, storage: 'default' });
    const running = () =>
      childCommands().filter((line) => line.includes(`upload-archive ${repository}`));

    const ran = jest.spyOn(trellis.app.get(SshCommandRunner), 'runCommand');
    const idle = await Promise.all([keys.connect(), keys.connect()]);
    for (const client of idle) {
      for (let count = 0; count < 9; count += 1) {
        (await beginCommand(client, command)).write(argument);
      }
    }
    await until(async () => ran.mock.calls.length === 18);
    ran.mockRestore();
    const stalled = await keys.connect();
    const channel = await beginCommand(stalled, command);
    channel.write(Buffer.concat([argument, FLUSH_PACKET]));
    await once(channel, 'readable');
    expect(running()).toHaveLength(1);
    await endAll([stalled, ...idle]);
    await until(async () => running().length === 0);
    const file = path.join(keys.folder, 'large.tar');
    const answer = await archive(keys, project, `--output=${file}`, 'large');
    expect(answer).toMatchObject({ code: 0, stderr: '' });
    expect((await readFile(file)).length).toBeGreaterThan(24_000_000);
  });
});
