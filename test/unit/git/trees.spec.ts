import { FileMode, MAX_LISTED, NewObjects, type Repository } from '../../../src/git/index.js';
import { MIB } from '../../../src/platform/limits/index.js';
import { ODD_NAMES, oddHistory } from './support/odd-history.js';
import { treeFromGit } from './support/changes-from-git.js';
import { git, importStream, Workshop } from './support/workshop.js';

describe('trees', () => {
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

  const rootOf = async (repository: Repository, rev: string) => {
    const oid = (await repository.resolveCommit(rev)) ?? '';
    return (await repository.objects.commit(oid))?.tree ?? '';
  };

  const byPath = (a: { path?: string | undefined }, b: { path?: string | undefined }) =>
    String(a.path) < String(b.path) ? -1 : 1;

  it.each([1, 2, 3])('are listed like git, in generated history %i', async (seed) => {
    const repository = await made(oddHistory(seed, 30));
    const cwd = repository.path;
    for (const commit of (await git(['rev-list', 'master'], { cwd })).split('\n').slice(0, 10)) {
      const root = await rootOf(repository, commit);
      const strip = ({ mode, type, oid, path }: { [key: string]: unknown }) => ({
        mode,
        type,
        oid,
        path,
      });
      const { entries } = await repository.trees.list(root);
      expect(entries.map((entry) => strip({ ...entry }))).toEqual(await treeFromGit(cwd, commit));
      const all = await repository.trees.walk(root);
      expect(all.isCut).toBe(false);
      expect(all.entries.map((entry) => strip({ ...entry })).sort(byPath as never)).toEqual(
        (await treeFromGit(cwd, '-r', '-t', commit)).sort(byPath),
      );
      for (const entry of all.entries) {
        expect(await repository.trees.find(root, entry.path)).toEqual(entry);
      }
    }
  });

  it('are walked only by exact names', async () => {
    const files = Object.fromEntries(ODD_NAMES.map((name) => [name, `${name}\n`]));
    const repository = await made(importStream([{ files }]));
    const root = await rootOf(repository, 'master');
    for (const name of ODD_NAMES) {
      expect(await repository.trees.find(root, name)).toMatchObject({ path: name, type: 'blob' });
    }
    expect(await repository.trees.find(root, 'dir/deep/')).toMatchObject({ type: 'tree' });
    const wrong = ['', '/', '..', '../dir', 'dir/../dir', '/dir', 'dir//a', './dir', 'DIR', 'di'];
    const hostile = ['dir/a/b', 'plain.txt/', 'a\0b', 'x'.repeat(4000), '*', 'HEAD:dir', '\ud800'];
    for (const path of [...wrong, ...hostile]) {
      const found = await repository.trees.find(root, path);
      expect([path, found?.type ?? null]).toEqual([path, path === 'plain.txt/' ? 'blob' : null]);
    }
  });

  it('start no process once warm', async () => {
    const repository = await made(oddHistory(4, 20));
    const root = await rootOf(repository, 'master');
    const spawned = workshop.git.spawnCount;
    await repository.trees.walk(root);
    await repository.trees.find(root, 'dir/deep/er/file');
    expect(workshop.git.spawnCount).toBe(spawned);
  });

  it('are listed up to a limit, although few objects may describe endless files', async () => {
    const repository = await workshop.emptyRepository();
    const cwd = repository.path;
    let tree = await git(['hash-object', '-w', '-t', 'tree', '--stdin'], { cwd });
    for (let level = 0; level < 8; level += 1) {
      const lines = Array.from({ length: 10 }, (_, n) => `040000 tree ${tree}\td${n}\n`);
      tree = await git(['mktree'], { cwd, input: lines.join('') });
    }
    const listing = await repository.trees.walk(tree);
    expect(listing.isCut).toBe(true);
    expect(listing.entries).toHaveLength(MAX_LISTED);
  });

  it('are listed up to a limit of path characters, although deep folders repeat their names', async () => {
    const repository = await workshop.emptyRepository();
    const objects = new NewObjects();
    const oid = objects.blob(Buffer.from('x'));
    const files = ['a', 'b'].map((name) => ({ mode: FileMode.FILE, name, oid }));
    const name = 'n'.repeat(200);
    let tree = await objects.tree(files);
    for (let level = 0; level < 2_000; level += 1) {
      tree = await objects.tree([...files, { mode: FileMode.TREE, name, oid: tree }]);
    }
    await repository.store(objects);
    const { entries, isCut } = await repository.trees.walk(tree);
    expect(isCut).toBe(true);
    const characters = entries.reduce((sum, { path }) => sum + path.length, 0);
    expect(characters).toBeGreaterThan(31 * MIB);
    expect(characters).toBeLessThanOrEqual(32 * MIB);
  });
});
