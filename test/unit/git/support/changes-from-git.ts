import { gitOutput } from './workshop.js';

export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

const RAW = /:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*/;

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
  const common = ['diff-tree', '-r', '--abbrev=40', '-M'];
  const fields = (await gitOutput([...common, '--raw', '-z', from, to], { cwd })).split('\0');
  const patches = (await gitOutput([...common, '-p', from, to], { cwd }))
    .split(/^(?=diff --git )/m)
    .map((patch) => patch.replace(/^[^]*?^(?=--- |Binary files )/m, ''));
  const told: GitChange[] = [];
  while (fields.length > 1) {
    const [, a = '', b = '', , , letter = ''] = RAW.exec(fields.shift() ?? '') ?? [];
    const names = fields.splice(0, letter === 'R' ? 2 : 1);
    const texts = patches.splice(0, letter === 'T' ? 2 : 1);
    const text = texts.map((patch) => (/^(---|Binary)/.test(patch) ? patch : '')).join('');
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
