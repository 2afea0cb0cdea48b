import { gitOutput } from './workshop.js';

export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

const RAW = /:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*/;

const RENAMES = ['--abbrev=40', '-M'];

/** A commit and the parent that it is compared with. */
export interface FirstParent {
  commit: string;
  parent: string | null;
}

/** All commits of a branch with their first parents. */
export async function firstParentsOf(cwd: string, branch: string): Promise<FirstParent[]> {
  const log = await gitOutput(['log', '--format=%H %P', branch], { cwd });
  return log
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [commit = '', parent = null] = line.trim().split(' ');
      return { commit, parent };
    });
}

/** One file of a difference, as plain git tells it. */
export interface GitChange {
  /** The old and the new name of a renamed file, else its one name. */
  names: string[];
  /** Before and after, six digits each. */
  modes: string[];
  letter: string;
  /** The patch without the headers that say the same as the other fields. */
  text: string;
}

/** An entry of a folder, as plain git tells it. */
export interface GitEntry {
  mode: string;
  type: string;
  oid: string;
  path: string;
}

/** A difference with renames: names and modes by `-z`, texts cut at their headers. */
export async function diffFromGit(cwd: string, from: string, to: string): Promise<GitChange[]> {
  const common = ['diff-tree', '-r', ...RENAMES];
  const raw = await gitOutput([...common, '--raw', '-z', from, to], { cwd });
  return changesOf(raw, await gitOutput([...common, '-p', from, to], { cwd }));
}

/** The same for each of some commits. */
export async function diffsFromGit(cwd: string, all: FirstParent[]): Promise<GitChange[][]> {
  const raws = await compareEach(cwd, all, ['--raw', '-z', ...RENAMES]);
  const patches = await compareEach(cwd, all, ['-p', ...RENAMES]);
  return raws.map((raw, at) => changesOf(raw, patches[at] ?? ''));
}

/** What `git diff-tree` writes of each of some commits, by one process. @param options with `-z` or without */
export async function compareEach(
  cwd: string,
  all: FirstParent[],
  options: string[],
): Promise<string[]> {
  const input = all.map(({ commit, parent }) => `${commit} ${parent ?? ''}\n`).join('');
  const args = ['diff-tree', '-r', '--root', '--stdin', ...options];
  const text = await gitOutput(args, { cwd, input });
  const heading = options.includes('-z') ? /(?:^|(?<=\0))([0-9a-f]{40})\0/ : /^([0-9a-f]{40})\n/m;
  const parts = text.split(heading);
  const written = new Map<string, string>();
  for (let at = 1; at < parts.length; at += 2) written.set(parts[at] ?? '', parts[at + 1] ?? '');
  return all.map(({ commit }) => written.get(commit) ?? '');
}

/** Reads what git writes with `--raw -z` and with `-p`. */
function changesOf(raw: string, patch: string): GitChange[] {
  const fields = raw.split('\0');
  const patches = patch
    .split(/^(?=diff --git )/m)
    .map((each) => each.replace(/^[^]*?^(?=--- |Binary files )/m, ''));
  const told: GitChange[] = [];
  while (fields.length > 1) {
    const [, a = '', b = '', , , letter = ''] = RAW.exec(fields.shift() ?? '') ?? [];
    const names = fields.splice(0, letter === 'R' ? 2 : 1);
    const texts = patches.splice(0, letter === 'T' ? 2 : 1);
    const text = texts.map((each) => (/^(---|Binary)/.test(each) ? each : '')).join('');
    told.push({ names, modes: [a, b], letter, text });
  }
  return told;
}

/** The entries of a folder in git's order. @param args such as `-r`, and what to list */
export async function treeFromGit(cwd: string, ...args: string[]): Promise<GitEntry[]> {
  const text = await gitOutput(['ls-tree', '-z', '--full-tree', ...args], { cwd });
  return text
    .split('\0')
    .filter((record) => record !== '')
    .map((record) => {
      const [, mode = '', type = '', oid = '', path = ''] =
        /^(\d+) (\w+) (\w+)\t([^]*)$/.exec(record) ?? [];
      return { mode, type, oid, path };
    });
}
