import type { Diff, Repository } from '../../../src/git/index.js';
import { ObjectMissingError } from '../../../src/git/index.js';
import { allStatsFromGit } from '../../support/commits-from-git.js';
import { oddHistory } from './support/odd-history.js';
import {
  diffFromGit,
  diffsFromGit,
  firstParentsOf,
  type GitChange,
} from './support/changes-from-git.js';
import { MEMORY_DIVISOR, withLessMemory } from './support/less-memory.js';
import { git, importStream, Workshop } from './support/workshop.js';

const LETTERS = { added: 'A', deleted: 'D', modified: 'M', renamed: 'R', retyped: 'T' } as const;

function comparable({ entries }: Diff): GitChange[] {
  return entries.map((entry) => ({
    names: entry.change === 'renamed' ? [entry.oldPath, entry.newPath] : [entry.newPath],
    modes: [entry.oldMode, entry.newMode],
    letter: LETTERS[entry.change],
    text: entry.text,
  }));
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

  /** What makes copies of a file in a commit of `git fast-import`. */
  const copies = (name: string, count: number, nameOf: (n: number) => string): string =>
    Array.from({ length: count }, (_, n) => `C ${name} ${nameOf(n + 1)}\n`).join('');

  it.each([1, 2, 3])('match git, in generated history %i', async (seed) => {
    const repository = await made(oddHistory(seed, 40));
    const cwd = repository.path;
    const all = await firstParentsOf(cwd, 'master');
    const expected = await diffsFromGit(cwd, all);
    let files = 0;
    for (const [at, { commit, parent }] of all.entries()) {
      const diff = await repository.diff(parent, commit);
      expect(comparable(diff)).toEqual(expected[at]);
      expect(diff.isCut).toBe(false);
      files += diff.entries.length;
    }
    expect(files).toBeGreaterThan(30);
  });

  it('between distant commits match git, renames above all', async () => {
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
    expect(comparable(diff)).toEqual(await diffFromGit(repository.path, from, to));
    expect(diff.entries).toContainEqual(
      expect.objectContaining({ oldPath: 'old name', newPath: 'new\tname', change: 'renamed' }),
    );
    expect(await repository.diff(to, to)).toEqual({ entries: [], isCut: false });
  });

  it.each([1, 2, 3])('count lines like git with renames, in generated history %i', async (seed) => {
    const repository = await made(oddHistory(seed, 40));
    const cwd = repository.path;
    const all = await firstParentsOf(cwd, 'master');
    const expected = await allStatsFromGit(cwd, all);
    for (const [at, { commit }] of all.entries()) {
      const { additions, deletions } = await repository.stats(commit);
      const stats = { additions, deletions, total: additions + deletions };
      expect([commit, stats]).toEqual([commit, expected[at]]);
    }
  });

  it('count all lines of renamed files that git cannot compare within its memory', async () => {
    // Git keeps the distinct lines of each old file in a table of 1 MiB.
    const lines = Array.from({ length: 90_000 }, (_, n) => `${n.toString(36)}\n`).join('');
    const count = 280 / MEMORY_DIVISOR;
    const [first = '', second = ''] = importStream([
      { files: { 'old/0': `old\n${lines}` } },
      { files: { 'new.txt': `new\n${lines}` } },
    ]).split(/(?=commit refs)/);
    const old = `${first.trimEnd()}\n${copies('old/0', count - 1, (n) => `old/${n}`)}`;
    const { path } = await made(`${old}${second.trimEnd()}\nD old\n`);
    const repository = (await withLessMemory(workshop)).repository(path);
    const head = (await repository.resolveCommit('master')) ?? '';
    expect(await repository.stats(head)).toEqual({ additions: 90_001, deletions: count * 90_001 });
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

  it('omit the text of a file above 100 KiB, and nothing of other files', async () => {
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

  it('stream a line without end', async () => {
    const endless = 'x'.repeat(5_000_000);
    const repository = await made(importStream([{ files: { a: endless, b: '1\n' } }]));
    const head = (await repository.resolveCommit('master')) ?? '';
    const { entries } = await repository.diff(null, head);
    expect(entries.map(({ newPath, text }) => [newPath, text.length > 0])).toEqual([
      ['a', false],
      ['b', true],
    ]);
  });

  it('stop after 1,000 files', async () => {
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

  it('stop reading beyond the limit, and answer the next request', async () => {
    const large = `${'x'.repeat(99)}\n`.repeat(100_000);
    const commits = importStream([{ files: { a: '1\n' } }, { files: { f0: large } }]);
    const repository = await made(`${commits.trimEnd()}\n${copies('f0', 8, (n) => `f${n}`)}`);
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
