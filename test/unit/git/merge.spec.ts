import { NewObjects, type Repository } from '../../../src/git/index.js';
import { git, tryGit, Workshop } from './support/workshop.js';
import { wideHistory } from '../../support/wide-history.js';

/** Files by path: a text, or a mode and an id, or null where there is none. */
type Files = Record<string, GivenFile>;
type GivenFile = string | { mode: string; oid: string } | null;

const LINES = Array.from({ length: 12 }, (_, line) => `line ${String(line)}\n`);
const TEXT = LINES.join('');
const [FIRST, LAST] = [TEXT.replace('line 0', 'first'), TEXT.replace('line 11', 'last')];
const submodule = (digit: string) => ({ mode: '160000', oid: digit.repeat(40) });
const BINARY = 'a\0b';

describe('merged trees', () => {
  let workshop: Workshop;

  beforeAll(async () => {
    workshop = await Workshop.open();
  });
  afterAll(() => workshop.close());

  /** A base, and what two sides make of it. */
  const made = async (base: Files, ours: Files, theirs: Files): Promise<Repository> => {
    const commit = (branch: string, mark: number, files: Files): string =>
      [
        `commit refs/heads/${branch}\nmark :${String(mark)}\ncommitter A <a@b> 1 +0000\ndata 0\n`,
        mark === 1 ? '' : 'from :1\n',
        ...Object.entries(files).map(([path, file]) => changed(JSON.stringify(path), file)),
        '\n',
      ].join('');
    const stream = [commit('base', 1, base), commit('ours', 2, ours), commit('theirs', 3, theirs)];
    return workshop.repository(stream.join(''));
  };

  const changed = (path: string, file: GivenFile): string => {
    if (file === null) return `D ${path}\n`;
    if (typeof file === 'object') return `M ${file.mode} ${file.oid} ${path}\n`;
    return `M 100644 inline ${path}\ndata ${String(Buffer.byteLength(file))}\n${file}\n`;
  };

  const treeAt = (repository: Repository, rev: string) =>
    git(['rev-parse', `${rev}^{tree}`], { cwd: repository.path });

  const mergeOf = async (repository: Repository, base: string, ours: string, theirs: string) =>
    repository.mergeTrees({
      base: await treeAt(repository, base),
      ours: await treeAt(repository, ours),
      theirs: await treeAt(repository, theirs),
    });

  /** What plain git merges two commits to, in a copy; null where they conflict. */
  const mergedByGit = async (repository: Repository, ours: string, theirs: string) => {
    const copy = await workshop.clone(repository.path, '--mirror');
    const { code, stdout, stderr } = await tryGit(['merge-tree', '--write-tree', ours, theirs], {
      cwd: copy,
    });
    if (code !== 0 && code !== 1) throw new Error(stderr);
    return code === 0 ? stdout.trim() : null;
  };

  const expectAgreement = async (
    repository: Repository,
    [base, ours, theirs]: readonly [string, string, string],
  ): Promise<boolean> => {
    const cwd = repository.path;
    const before = await git(['count-objects', '-v'], { cwd });
    const merged = await mergeOf(repository, base, ours, theirs);
    expect(await git(['count-objects', '-v'], { cwd })).toBe(before);
    expect(merged?.tree ?? null).toBe(await mergedByGit(repository, ours, theirs));
    if (merged === null) return false;
    await repository.store(merged.objects);
    await git(['ls-tree', '-r', '-t', merged.tree], { cwd });
    await git(['fsck', '--strict', '--no-dangling'], { cwd });
    return true;
  };

  const SIDES = ['base', 'ours', 'theirs'] as const;

  it.each<[string, Files, Files, Files]>([
    ['other files', { a: '1', b: '1' }, { a: '2' }, { b: '2' }],
    ['other lines of one file', { a: TEXT }, { a: FIRST }, { a: LAST }],
    ['the same in one file', { a: '1' }, { a: '2' }, { a: '2' }],
    ['the same new file', {}, { 'new/x': '1' }, { 'new/x': '1' }],
    ['nothing on our side', { a: '1' }, {}, { a: '2', 'd/e': '1' }],
    ['nothing on their side', { a: '1' }, { a: '2' }, {}],
    ['nothing at all', { a: '1' }, {}, {}],
    ['a file that both take away', { a: '1', b: '1' }, { a: null }, { a: null }],
    ['the last files', { a: '1', 'd/b': '1' }, { a: null }, { 'd/b': null }],
    ['a file that moves, and its text', { a: TEXT }, { a: null, 'd/b': TEXT }, { a: LAST }],
    ['a file that moves and changes', { a: TEXT }, { a: null, b: FIRST }, { a: LAST }],
    ['a file that becomes a folder', { a: '1', b: '1' }, { a: null, 'a/x': '2' }, { b: '2' }],
    ['a submodule on one side', { m: submodule('1') }, { m: submodule('2') }, { a: '1' }],
    ['odd names', { 'ü "x"\n': '1' }, { 'ü "x"\n': '2' }, { '-p': '1' }],
  ])('equal git merge for %s', async (_, base, ours, theirs) => {
    expect(await expectAgreement(await made(base, ours, theirs), SIDES)).toBe(true);
  });

  it.each<[string, Files, Files, Files]>([
    ['the same line', { a: '1\n' }, { a: '2\n' }, { a: '3\n' }],
    ['two new files of one name', {}, { a: '1' }, { a: '2' }],
    ['a file that one changes and one takes away', { a: '1' }, { a: '2' }, { a: null }],
    ['a file that one takes away and one changes', { a: '1' }, { a: null }, { a: '2' }],
    ['a file that moves to two places', { a: TEXT }, { a: null, b: TEXT }, { a: null, c: TEXT }],
    [
      'two files that move to one place',
      { a: TEXT, b: FIRST },
      { a: null, c: TEXT },
      { b: null, c: FIRST },
    ],
    ['a file that moves, and is taken away', { a: TEXT }, { a: null, b: FIRST }, { a: null }],
    ['a file and a folder of one name', { x: '1' }, { a: '1' }, { 'a/b': '1' }],
    [
      'a folder that moves, and a new file in it',
      { 'd/a': TEXT, 'd/b': FIRST },
      { 'd/a': null, 'd/b': null, 'e/a': TEXT, 'e/b': FIRST },
      { 'd/c': 'new' },
    ],
    ['bytes', { a: BINARY }, { a: `${BINARY}1` }, { a: `${BINARY}2` }],
    ['a file and a submodule', { a: '1' }, { a: '2' }, { a: submodule('1') }],
    ['submodules', { m: submodule('1') }, { m: submodule('2') }, { m: submodule('3') }],
  ])('are null where git finds a conflict: %s', async (_, base, ours, theirs) => {
    expect(await expectAgreement(await made(base, ours, theirs), SIDES)).toBe(false);
  });

  it('agree with git among the branches of generated histories', async () => {
    const repository = await workshop.emptyRepository();
    const cwd = repository.path;
    await git(['fast-import', '--quiet', '--force'], { cwd, input: wideHistory(11, 60) });
    const branches = await git(['for-each-ref', '--format=%(objectname)', 'refs/heads'], { cwd });
    const outcomes: boolean[] = [];
    const tips = branches.split('\n');
    for (const [index, ours] of tips.entries()) {
      for (const theirs of tips.slice(index + 1)) {
        const { stdout } = await tryGit(['merge-base', '--all', ours, theirs], { cwd });
        const bases = stdout.split('\n').filter(Boolean);
        // Of several git makes one first, which is not asked for here.
        if (bases.length !== 1) continue;
        outcomes.push(await expectAgreement(repository, [bases[0] ?? '', ours, theirs]));
      }
    }
    expect(new Set(outcomes)).toEqual(new Set([true, false]));
  });

  it('start from the empty tree without a base', async () => {
    const repository = await made({ a: '1' }, { b: '1' }, { c: '1' });
    const [ours, theirs] = [await treeAt(repository, 'ours'), await treeAt(repository, 'theirs')];
    const merged = await repository.mergeTrees({ base: null, ours, theirs });
    await repository.store(merged?.objects ?? new NewObjects());
    const names = await git(['ls-tree', '--name-only', merged?.tree ?? ''], {
      cwd: repository.path,
    });
    expect(names.split('\n')).toEqual(['a', 'b', 'c']);
    const other = await made({}, { a: '1' }, { a: '2' });
    const rivals = { ours: await treeAt(other, 'ours'), theirs: await treeAt(other, 'theirs') };
    expect(await other.mergeTrees({ base: null, ...rivals })).toBeNull();
  });
});
