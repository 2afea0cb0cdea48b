import type { Diff, Repository } from '../../../src/git/index.js';
import { ObjectMissingError } from '../../../src/git/index.js';
import { oddHistory } from './support/odd-history.js';
import { git, importStream, Workshop } from './support/workshop.js';

const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const NUL_RECORD = /:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*/;

interface Told {
  names: string[];
  modes: string[];
  letter: string;
  text: string;
}

/** The same difference as plain git tells it: names and modes by `-z`, texts cut at their headers. */
async function toldByGit(cwd: string, from: string, to: string): Promise<Told[]> {
  const common = ['diff-tree', '-r', '--abbrev=40', '-M'];
  const fields = (await git([...common, '--raw', '-z', from, to], { cwd })).split('\0');
  const patches = (await git([...common, '-p', from, to], { cwd }))
    .split(/^(?=diff --git )/m)
    .map((patch) => patch.replace(/^[^]*?^(?=--- |Binary files )/m, ''));
  const told: Told[] = [];
  while (fields.length > 1) {
    const [, a = '', b = '', , , letter = ''] = NUL_RECORD.exec(fields.shift() ?? '') ?? [];
    const names = fields.splice(0, letter === 'R' ? 2 : 1);
    const texts = patches.splice(0, letter === 'T' ? 2 : 1);
    const text = texts.map((patch) => (/^(---|Binary)/.test(patch) ? patch : '')).join('');
    told.push({ names, modes: [a, b], letter, text });
  }
  // What runs git here takes away the last line end.
  return told.map((one, index) => (index < told.length - 1 ? one : trimmed(one)));
}

const LETTERS = { added: 'A', deleted: 'D', modified: 'M', renamed: 'R', retyped: 'T' } as const;

function comparable({ entries }: Diff): Told[] {
  const told = entries.map((entry) => ({
    names: entry.change === 'renamed' ? [entry.oldPath, entry.newPath] : [entry.newPath],
    modes: [entry.oldMode, entry.newMode],
    letter: LETTERS[entry.change],
    text: entry.text,
  }));
  return told.map((one, index) => (index < told.length - 1 ? one : trimmed(one)));
}

function trimmed(told: Told): Told {
  return { ...told, text: told.text.trimEnd() };
}

describe('differences', () => {
  let workshop: Workshop;

  beforeAll(async () => {
    workshop = await Workshop.open();
  });
  afterAll(() => workshop.close());

  const made = async (input: Buffer | string): Promise<Repository> => {
    const repository = await workshop.emptyRepository();
    await git(['fast-import', '--quiet', '--force'], { cwd: repository.path, input });
    return repository;
  };

  it.each([1, 2, 3])('are what git says, in generated history %i', async (seed) => {
    const repository = await made(oddHistory(seed, 40));
    const cwd = repository.path;
    const log = await git(['log', '--format=%H %P', 'master'], { cwd });
    let files = 0;
    for (const line of log.split('\n')) {
      const [commit = '', parent] = line.trim().split(' ');
      const diff = await repository.diff(parent ?? null, commit);
      expect(comparable(diff)).toEqual(await toldByGit(cwd, parent ?? EMPTY_TREE, commit));
      expect(diff.isCut).toBe(false);
      files += diff.entries.length;
    }
    expect(files).toBeGreaterThan(30);
  });

  it('between distant commits are what git says, renames above all', async () => {
    const lines = Array.from({ length: 30 }, (_, n) => `line ${n}\n`).join('');
    const repository = await made(
      importStream([
        { files: { 'old name': lines, same: 'a\n', gone: 'b\n' } },
        { files: { 'new\tname': `${lines}more\n` } },
      ]).replace(/(\n)$/, 'D "old name"\nD gone\n$1'),
    );
    const [to = '', from = ''] = (
      await git(['rev-list', 'master'], { cwd: repository.path })
    ).split('\n');
    const diff = await repository.diff(from, to);
    expect(comparable(diff)).toEqual(await toldByGit(repository.path, from, to));
    expect(diff.entries).toContainEqual(
      expect.objectContaining({ oldPath: 'old name', newPath: 'new\tname', change: 'renamed' }),
    );
    expect(await repository.diff(to, to)).toEqual({ entries: [], isCut: false });
  });

  it('start no process once warm, and share one while cold', async () => {
    const repository = await made(oddHistory(4, 20));
    const cwd = repository.path;
    const commits = (await git(['rev-list', '--first-parent', 'master'], { cwd })).split('\n');
    await repository.diff(null, commits[0] ?? '');
    const spawned = workshop.git.spawnCount;
    for (const [index, commit] of commits.entries()) {
      await repository.diff(commits[index + 1] ?? null, commit);
    }
    expect(workshop.git.spawnCount).toBe(spawned);
  });

  it('leave out the text of one above 100 KiB, and nothing of its neighbours', async () => {
    const large = 'x'.repeat(99).concat('\n').repeat(1100);
    const repository = await made(importStream([{ files: { a: '1\n', b: large, c: '2\n' } }]));
    const head = (await repository.resolveCommit('master')) ?? '';
    const { entries, isCut } = await repository.diff(null, head);
    expect(entries.map(({ newPath, text }) => [newPath, text])).toEqual([
      ['a', '--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+1\n'],
      ['b', ''],
      ['c', '--- /dev/null\n+++ b/c\n@@ -0,0 +1 @@\n+2\n'],
    ]);
    expect(isCut).toBe(false);
  });

  it('survive a line without end, read without being held', async () => {
    const endless = 'x'.repeat(5_000_000);
    const repository = await made(importStream([{ files: { a: endless, b: '1\n' } }]));
    const head = (await repository.resolveCommit('master')) ?? '';
    const { entries } = await repository.diff(null, head);
    expect(entries.map(({ newPath, text }) => [newPath, text.length > 0])).toEqual([
      ['a', false],
      ['b', true],
    ]);
  });

  it('stop behind 1,000 files', async () => {
    const names = Array.from({ length: 1005 }, (_, n) => `f${String(n).padStart(4, '0')}`);
    const files = Object.fromEntries(names.map((name) => [name, `${name}\n`]));
    const repository = await made(importStream([{ files }]));
    const head = (await repository.resolveCommit('master')) ?? '';
    const { entries, isCut } = await repository.diff(null, head);
    expect(entries.map(({ newPath }) => newPath)).toEqual(names.slice(0, 1000));
    expect(entries.at(-1)?.text).toContain('+f0999');
    expect(isCut).toBe(true);
  });

  it('stop before the file that makes more than 50,000 lines', async () => {
    const content = 'x\n'.repeat(9_000);
    const files = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`f${n}`, content]));
    const repository = await made(importStream([{ files }]));
    const head = (await repository.resolveCommit('master')) ?? '';
    const { entries, isCut } = await repository.diff(null, head);
    expect(entries.map(({ newPath }) => newPath)).toEqual(['f0', 'f1', 'f2', 'f3', 'f4']);
    expect(isCut).toBe(true);
  });

  it('give up reading what is too much, and answer the next question all the same', async () => {
    const large = `${'x'.repeat(99)}\n`.repeat(100_000);
    const files = Object.fromEntries(
      Array.from({ length: 9 }, (_, n) => [`f${n}`, `${n}${large}`]),
    );
    const repository = await made(importStream([{ files: { a: '1\n' } }, { files }]));
    const cwd = repository.path;
    const [head = '', first = ''] = (await git(['rev-list', 'master'], { cwd })).split('\n');
    const [huge, small] = await Promise.all([
      repository.diff(first, head),
      repository.diff(null, first),
    ]);
    expect(huge.isCut).toBe(true);
    expect(huge.entries.length).toBeGreaterThan(5);
    expect(huge.entries.every(({ text }) => text === '')).toBe(true);
    expect(small.entries.map(({ newPath }) => newPath)).toEqual(['a']);
  });

  it('need two commits', async () => {
    const repository = await made(importStream([{}]));
    const head = (await repository.resolveCommit('master')) ?? '';
    const tree = await git(['rev-parse', 'master^{tree}'], { cwd: repository.path });
    for (const wrong of ['1'.repeat(40), tree]) {
      await expect(repository.diff(wrong, head)).rejects.toThrow(ObjectMissingError);
      await expect(repository.diff(head, wrong)).rejects.toThrow(ObjectMissingError);
    }
  });
});
