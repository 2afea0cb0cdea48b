import { NewObjects, ObjectMissingError, type Repository } from '../../../src/git/index.js';
import { wideHistory } from '../../support/wide-history.js';
import { git, importStream, tryGit, Workshop } from './support/workshop.js';

const TEXT = Array.from({ length: 12 }, (_, line) => `line ${String(line)}\n`).join('');
const changed = (text: string, line: number, to: string) =>
  text.replace(`line ${String(line)}\n`, `${to}\n`);

describe('merged commits', () => {
  let workshop: Workshop;

  beforeAll(async () => {
    workshop = await Workshop.open();
  });
  afterAll(() => workshop.close());

  const oidOf = (repository: Repository, rev: string) =>
    git(['rev-parse', rev], { cwd: repository.path });

  /**
   * The tree that `git merge` makes of two commits in a working copy; null where it conflicts. The copy
   * has files in the place of links, of which some lead nowhere.
   */
  const mergedByGit = async (copy: string, ours: string, theirs: string) => {
    const cwd = copy;
    await git(['read-tree', '--reset', 'HEAD'], { cwd });
    await git(['clean', '-dffxq'], { cwd });
    await git(['checkout', '-q', '-f', '--detach', ours], { cwd });
    const { code } = await tryGit(['merge', '-q', '--no-ff', '--no-commit', theirs], { cwd });
    const tree = code === 0 ? await git(['write-tree'], { cwd }) : null;
    await git(['reset', '-q', '--hard'], { cwd });
    return tree;
  };

  const expectAgreement = async (repository: Repository, copy: string, pair: [string, string]) => {
    const cwd = repository.path;
    const before = await git(['count-objects', '-v'], { cwd });
    const merged = await repository.mergeCommits(...pair);
    expect(await repository.canMerge(...pair)).toBe(merged !== null);
    expect(await git(['count-objects', '-v'], { cwd })).toBe(before);
    expect(merged?.tree ?? null).toBe(await mergedByGit(copy, ...pair));
    if (merged === null) return false;
    await repository.store(merged.objects);
    await git(['ls-tree', '-r', '-t', merged.tree], { cwd });
    return true;
  };

  it('agree with git merge among the branches of generated histories, criss-cross ones included', async () => {
    const outcomes: boolean[] = [];
    let severalBases = 0;
    for (const seed of [3, 11]) {
      const repository = await workshop.emptyRepository();
      const cwd = repository.path;
      await git(['fast-import', '--quiet', '--force'], { cwd, input: wideHistory(seed, 60) });
      const copy = await workshop.clone(cwd, '-c', 'core.symlinks=false');
      const list = await git(['for-each-ref', '--format=%(objectname)', 'refs/heads'], { cwd });
      const tips = list.split('\n');
      for (const [index, ours] of tips.entries()) {
        for (const theirs of tips.slice(index + 1)) {
          const bases = await tryGit(['merge-base', '--all', ours, theirs], { cwd });
          if (bases.stdout.trim().includes('\n')) severalBases += 1;
          outcomes.push(await expectAgreement(repository, copy, [ours, theirs]));
        }
      }
      await git(['fsck', '--strict', '--no-dangling'], { cwd });
    }
    expect(severalBases).toBeGreaterThan(0);
    expect(new Set(outcomes)).toEqual(new Set([true, false]));
  });

  it('contain both histories of a criss-cross, and nothing else', async () => {
    const [first, last] = [changed(TEXT, 0, 'first'), changed(TEXT, 11, 'last')];
    const both = changed(first, 11, 'last');
    const repository = await workshop.repository(
      importStream([
        { files: { 'a.txt': TEXT } },
        { branch: 'ours', parents: [1], files: { 'a.txt': first } },
        { branch: 'theirs', parents: [1], files: { 'a.txt': last } },
        { branch: 'ours', parents: [2, 3], files: { 'a.txt': both } },
        { branch: 'theirs', parents: [3, 2], files: { 'a.txt': both } },
        { branch: 'ours', parents: [4], files: { 'a.txt': changed(both, 3, 'third') } },
        { branch: 'theirs', parents: [5], files: { 'a.txt': changed(both, 8, 'eighth') } },
      ]),
    );
    const [ours, theirs] = [await oidOf(repository, 'ours'), await oidOf(repository, 'theirs')];
    const merged = await repository.mergeCommits(ours, theirs);
    // The file and the folder it lies in; not the common ancestor that git made on its way.
    expect(merged?.objects.size).toBe(2);
    await repository.store(merged?.objects ?? new NewObjects());
    const text = await git(['show', `${merged?.tree ?? ''}:a.txt`], { cwd: repository.path });
    expect(text).toBe(changed(changed(both, 3, 'third'), 8, 'eighth').trimEnd());
  });

  it('are null for unrelated histories', async () => {
    const repository = await workshop.repository(
      importStream([
        { branch: 'a', files: { a: '1' } },
        { branch: 'b', files: { b: '1' } },
      ]),
    );
    const [a, b] = [await oidOf(repository, 'a'), await oidOf(repository, 'b')];
    expect(await repository.mergeCommits(a, b)).toBeNull();
    expect(await repository.canMerge(a, b)).toBe(false);
  });

  it('report the missing commit', async () => {
    const repository = await workshop.repository(importStream([{}]));
    const master = await oidOf(repository, 'master');
    const missing = 'd'.repeat(40);
    await expect(repository.mergeCommits(master, missing)).rejects.toThrow(ObjectMissingError);
    await expect(repository.canMerge(missing, master)).rejects.toThrow(ObjectMissingError);
  });

  it('are computed once for existence checks', async () => {
    const repository = await workshop.repository(
      importStream([{}, { branch: 'x', parents: [1], files: { x: '1' } }, { files: { y: '1' } }]),
    );
    const [ours, theirs] = [await oidOf(repository, 'master'), await oidOf(repository, 'x')];
    expect(await repository.canMerge(ours, theirs)).toBe(true);
    const started = workshop.git.spawnCount;
    expect(await repository.canMerge(ours, theirs)).toBe(true);
    expect(workshop.git.spawnCount).toBe(started);
  });
});
