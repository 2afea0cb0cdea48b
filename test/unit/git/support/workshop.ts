import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Git, type GitOptions, type Repository } from '../../../../src/git/index.js';
import { type CommandOptions, type CommandResult, GitShells } from './git-shells.js';

export type { CommandOptions, CommandResult };

const CLIENT_ENVIRONMENT = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  LC_ALL: 'C.UTF-8',
  TZ: 'UTC',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
  // No sample hooks in each repository.
  GIT_TEMPLATE_DIR: '',
  GIT_CONFIG_COUNT: '3',
  GIT_CONFIG_KEY_0: 'init.defaultBranch',
  GIT_CONFIG_VALUE_0: 'master',
  GIT_CONFIG_KEY_1: 'advice.detachedHead',
  GIT_CONFIG_VALUE_1: 'false',
  // Each commit, merge and fetch would start one more process, which finds nothing to do.
  GIT_CONFIG_KEY_2: 'maintenance.auto',
  GIT_CONFIG_VALUE_2: 'false',
};

const shells = new GitShells(CLIENT_ENVIRONMENT);

// This module is loaded outside of all suites, so that the hook runs once, after the last suite of the Jest file.
afterAll(() => shells.close());

/** Runs git as a user would, and tells how it ended. */
export function tryGit(args: string[], options: CommandOptions = {}): Promise<CommandResult> {
  return shells.run(args, options);
}

/**
 * Runs git as a user would and returns its output without the line ends at its end. Blanks stay: names of refs
 * and of files may end with them. Anything but success fails the test.
 */
export async function git(args: string[], options: CommandOptions = {}): Promise<string> {
  return (await gitOutput(args, options)).replace(/\n+$/, '');
}

/** The same with the line ends. */
export async function gitOutput(args: string[], options: CommandOptions = {}): Promise<string> {
  const result = await tryGit(args, options);
  if (result.code !== 0) throw new Error(`git ${args.join(' ')}: ${result.stderr}`);
  return result.stdout;
}

const EACH_LIST = 'while read -r range; do git rev-list $range; echo; done';

/**
 * What `git rev-list` prints for each of some ranges, by one shell.
 * @param ranges such as `topic ^master`
 */
export async function revLists(cwd: string, ranges: readonly string[]): Promise<string[][]> {
  const input = ranges.map((range) => `${range}\n`).join('');
  const text = await gitOutput(['-c', `alias.each=!set -e; ${EACH_LIST}`, 'each'], { cwd, input });
  const lists: string[][] = [[]];
  for (const line of text.split('\n').slice(0, -2)) {
    if (line === '') lists.push([]);
    else lists.at(-1)?.push(line);
  }
  return lists;
}

/** One temporary folder with an open Git room in it. */
export class Workshop {
  private counter = 0;
  private readonly rooms: Git[] = [];

  private constructor(
    readonly folder: string,
    readonly git: Git,
  ) {
    this.rooms.push(git);
  }

  static async open(options: Partial<GitOptions> = {}): Promise<Workshop> {
    const folder = await mkdtemp(join(tmpdir(), 'trellis-git-'));
    return new Workshop(
      folder,
      await Git.open({ runtimeDir: join(folder, 'runtime'), ...options }),
    );
  }

  path(name: string): string {
    this.counter += 1;
    return join(this.folder, `${name}-${this.counter}`);
  }

  /** A second room, as another process of the service would have. */
  async anotherRoom(options: Partial<GitOptions> = {}): Promise<Git> {
    const runtime = await Git.open({ runtimeDir: join(this.folder, 'runtime'), ...options });
    this.rooms.push(runtime);
    return runtime;
  }

  async emptyRepository(): Promise<Repository> {
    const path = this.path('bare');
    await this.git.createRepository(path);
    return this.git.repository(path);
  }

  /** A bare repository filled through `git fast-import`. */
  async repository(stream: string): Promise<Repository> {
    const repository = await this.emptyRepository();
    await git(['fast-import', '--quiet', '--force'], { cwd: repository.path, input: stream });
    return repository;
  }

  async clone(from: string, ...options: string[]): Promise<string> {
    const target = this.path('clone');
    await git(['clone', '-q', ...options, from, target]);
    return target;
  }

  async close(): Promise<void> {
    for (const runtime of this.rooms) await runtime.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

export interface ImportedCommit {
  /** Seconds since 1970. */
  time?: number;
  message?: string;
  files?: Record<string, string>;
  /** Marks of the parents, counted from 1; the branch's own tip unless told. */
  parents?: number[];
  branch?: string;
}

/** The input of `git fast-import` for a number of commits. */
export function importStream(commits: ImportedCommit[]): string {
  const tips = new Map<string, number>();
  return commits
    .map((commit, index) => {
      const branch = commit.branch ?? 'master';
      const tip = tips.get(branch);
      const parents = commit.parents ?? (tip === undefined ? [] : [tip]);
      tips.set(branch, index + 1);
      return commitCommand(commit, index, branch, parents);
    })
    .join('');
}

function commitCommand(
  commit: ImportedCommit,
  index: number,
  branch: string,
  parents: number[],
): string {
  const who = `Ada <ada@example.com> ${commit.time ?? 1_700_000_000 + index * 60} +0100`;
  const files = Object.entries(commit.files ?? { 'file.txt': `${index}\n` });
  return [
    `commit refs/heads/${branch}`,
    `mark :${index + 1}`,
    `author ${who}`,
    `committer ${who}`,
    dataCommand(commit.message ?? `Commit ${index}\n`),
    ...parents.map((mark, at) => `${at === 0 ? 'from' : 'merge'} :${mark}`),
    ...files.map(([path, text]) => `M 100644 inline ${JSON.stringify(path)}\n${dataCommand(text)}`),
    '',
  ].join('\n');
}

/** What introduces a text in the input of `git fast-import`. */
export function dataCommand(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}`;
}

/** A straight line of commits on `master`. */
export function line(length: number): string {
  return importStream(Array.from({ length }, () => ({})));
}

/** The same of commits that change no file, which git makes in a third of the time. */
export function emptyLine(length: number): string {
  return importStream(Array.from({ length }, () => ({ files: {} })));
}
