import {
  FileMode,
  InvalidArgumentError,
  NewObjects,
  ObjectMissingError,
  ObjectTooLargeError,
} from '../../../src/git/index.js';
import type { FileEntry, Repository, TreeEditor } from '../../../src/git/index.js';
import { ODD_NAMES } from './support/odd-history.js';
import { treeFromGit } from './support/changes-from-git.js';
import { git, importStream, Workshop } from './support/workshop.js';

const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const SUBMODULE = '1234567890'.repeat(4);

describe('the tree editor', () => {
  let workshop: Workshop;
  let repository: Repository;

  beforeAll(async () => {
    workshop = await Workshop.open();
  });
  afterAll(() => workshop.close());
  beforeEach(async () => {
    repository = await workshop.emptyRepository();
  });

  /** Stores what an editor comes to, together with other objects, and answers the tree's id. */
  const write = async (editor: TreeEditor, objects = new NewObjects()): Promise<string> => {
    const tree = await editor.write(objects);
    await repository.store(objects);
    return tree;
  };

  /** A tree of files; every one contains its own path. */
  const treeOf = async (...paths: string[]): Promise<string> => {
    const objects = new NewObjects();
    const editor = repository.editTree(null);
    for (const path of paths) await editor.put(path, file(objects, path));
    return write(editor, objects);
  };

  const file = (objects: NewObjects, content: string): FileEntry => ({
    mode: FileMode.FILE,
    oid: objects.blob(Buffer.from(content)),
  });

  /** Paths with their modes, folders included, as git lists them. */
  const listed = async (tree: string): Promise<string[]> =>
    (await treeFromGit(repository.path, '-r', '-t', tree)).map(
      ({ mode, path }) => `${mode} ${path}`,
    );

  it('writes the trees that git writes for the same index', async () => {
    const paths = [
      ...ODD_NAMES,
      'a',
      'a.b',
      'a-b',
      'a0',
      'ab/x',
      'ab.c',
      'ab-c',
      'Z',
      'z/z/z',
      '\u00ff',
    ];
    const tree = await treeOf(...paths);
    const cwd = repository.path;
    const environment = { GIT_INDEX_FILE: `${cwd}/index-of-test` };
    const entries = await treeFromGit(cwd, '-r', tree);
    const lines = entries.map(({ mode, oid, path }) => `${mode} ${oid}\t${path}\0`);
    // In another order than trees have.
    await git(['update-index', '-z', '--index-info'], {
      cwd,
      environment,
      input: lines.reverse().join(''),
    });
    expect(await git(['write-tree'], { cwd, environment })).toBe(tree);
    expect(entries.map(({ path }) => path).sort()).toEqual([...paths].sort());
  });

  it('sorts folders as if their names ended in a slash', async () => {
    const tree = await treeOf('a/x', 'a.b', 'a-b', 'a0', 'b', 'b-', 'b.');
    const entries = await treeFromGit(repository.path, tree);
    expect(entries.map(({ path }) => path)).toEqual(['a-b', 'a.b', 'a', 'a0', 'b', 'b-', 'b.']);
    await git(['fsck', '--strict'], { cwd: repository.path });
  });

  it('removes only the folders that become empty', async () => {
    const tree = await treeOf('a/b/c/one', 'a/b/two', 'a-b', 'other/x');
    const editor = repository.editTree(tree);
    await editor.remove('a/b/c/one');
    expect(await editor.find('a/b/c')).toBeNull();
    expect(await editor.find('a/b')).toMatchObject({ mode: FileMode.TREE });
    await editor.remove('a/b/two');
    expect(await editor.find('a')).toBeNull();
    expect(await listed(await write(editor))).toEqual([
      '100644 a-b',
      '040000 other',
      '100644 other/x',
    ]);
  });

  it('leaves the empty tree when the last file goes', async () => {
    const editor = repository.editTree(await treeOf('deep/er/file'));
    await editor.remove('deep/er/file');
    expect(await write(editor)).toBe(EMPTY_TREE);
    expect(await write(repository.editTree(null))).toBe(EMPTY_TREE);
    await git(['fsck', '--strict'], { cwd: repository.path });
  });

  it('replaces a file by a folder, and a folder by a file', async () => {
    const editor = repository.editTree(await treeOf('a', 'b/c/d'));
    const objects = new NewObjects();
    expect(await editor.obstacle('a/x')).toBe('a');
    expect(await editor.obstacle('b/c')).toBe('b/c');
    await editor.remove('a');
    await editor.remove('b/c/d');
    expect(await editor.obstacle('a/x/y')).toBeNull();
    await editor.put('a/x/y', file(objects, 'y'));
    await editor.put('b', file(objects, 'b'));
    expect(await listed(await write(editor, objects))).toEqual([
      '040000 a',
      '040000 a/x',
      '100644 a/x/y',
      '100644 b',
    ]);
  });

  it('finds added entries, and loses removed ones', async () => {
    const editor = repository.editTree(await treeOf('a/b'));
    const objects = new NewObjects();
    const entry = file(objects, 'new');
    await editor.put('a/c/d', entry);
    expect(await editor.find('a/c/d')).toMatchObject(entry);
    expect(await editor.find('a/c')).toMatchObject({ mode: FileMode.TREE });
    await editor.remove('a/c/d');
    expect(await editor.find('a/c/d')).toBeNull();
    expect(await editor.find('a/c')).toBeNull();
    expect(await listed(await write(editor, objects))).toEqual(['040000 a', '100644 a/b']);
  });

  it('returns the same tree without changes, and reads no more', async () => {
    const tree = await treeOf('a/b', 'c');
    const editor = repository.editTree(tree);
    await editor.find('a/b');
    for (const absent of ['x', 'a/x', 'c/x', 'x/y/z', 'a/b/c']) await editor.remove(absent);
    const objects = new NewObjects();
    expect(await editor.write(objects)).toBe(tree);
    expect(objects.size).toBe(0);
  });

  it('rewrites only the folders on the path of a change', async () => {
    const tree = await treeOf('a/a/a', 'b/b/b', 'c');
    const editor = repository.editTree(tree);
    const objects = new NewObjects();
    await editor.find('b/b/b');
    await editor.put('a/a/a', file(objects, 'changed'));
    await editor.write(objects);
    const types = objects.named().map(({ type }) => type);
    expect(types.sort()).toEqual(['blob', 'tree', 'tree', 'tree']);
  });

  it('keeps links, submodules, modes and names in other encodings', async () => {
    const cwd = repository.path;
    const blob = await git(['hash-object', '-w', '--stdin'], { cwd, input: 'x' });
    const input = Buffer.concat([
      Buffer.from(`100755 blob ${blob}\trun\n120000 blob ${blob}\tlink\n`),
      Buffer.from(`160000 commit ${SUBMODULE}\tmodule\n100644 blob ${blob}\tcaf`),
      Buffer.from([0xe9, 0x0a]),
    ]);
    const tree = await git(['mktree', '--missing'], { cwd, input });
    const editor = repository.editTree(tree);
    expect(await editor.find('run')).toMatchObject({ mode: FileMode.EXECUTABLE, oid: blob });
    expect(await editor.find('link')).toMatchObject({ mode: FileMode.LINK });
    expect(await editor.find('module')).toMatchObject({ mode: FileMode.SUBMODULE, oid: SUBMODULE });
    for (const path of ['link/x', 'module/x', 'run/x']) {
      expect(await editor.find(path)).toBeNull();
      expect(await editor.obstacle(path)).toBe(path.split('/')[0]);
    }
    const objects = new NewObjects();
    await editor.put('zzz', file(objects, 'z'));
    await editor.remove('run');
    const raw = await git(['ls-tree', await write(editor, objects)], { cwd });
    expect(raw).toContain('"caf\\351"');
    expect(raw).toContain(`160000 commit ${SUBMODULE}\tmodule`);
    expect(raw).toContain('120000 blob');
    expect(raw).not.toContain('run');
  });

  it('changes one file among thousands', async () => {
    const names = Array.from({ length: 5_000 }, (_, index) => `f${String((index * 7) % 5_000)}`);
    const objects = new NewObjects();
    const editor = repository.editTree(null);
    const entry = file(objects, 'the same');
    for (const name of names) await editor.put(`many/${name}`, entry);
    const tree = await write(editor, objects);
    const again = repository.editTree(tree);
    await again.remove('many/f77');
    const left = await treeFromGit(repository.path, '-r', await write(again));
    expect(left.map(({ path }) => path)).toEqual(
      names
        .filter((name) => name !== 'f77')
        .map((name) => `many/${name}`)
        .sort(),
    );
  });

  it('yields to other work while it finds, moves and writes files in deep folders', async () => {
    const folder = 'a/'.repeat(1000);
    const paths = Array.from({ length: 20 }, (_, index) => `${folder}f${String(index)}`);
    const tree = await treeOf(...paths);
    const editor = repository.editTree(tree);
    const objects = new NewObjects();
    const entry = file(objects, 'new');
    await editor.find(`${folder}f0`);
    const steps = {
      find: () => Promise.all(paths.map((path) => editor.find(path))),
      remove: () => Promise.all(paths.map((path) => editor.remove(path))),
      put: () => Promise.all(paths.map((path) => editor.put(`${folder}b${path}`, entry))),
      write: () => editor.write(objects),
    };
    for (const [name, step] of Object.entries(steps)) {
      const turns: string[] = [];
      setImmediate(() => turns.push('other work'));
      await step();
      expect([name, ...turns]).toEqual([name, 'other work']);
    }
  });

  it('writes trees of any depth', async () => {
    const objects = new NewObjects();
    const entry = file(objects, 'deep');
    let expected = await objects.tree([{ ...entry, name: 'f' }]);
    for (let level = 0; level < 10_000; level += 1) {
      expected = await objects.tree([{ mode: FileMode.TREE, name: 'a', oid: expected }]);
    }
    const editor = repository.editTree(null);
    await editor.put(`${'a/'.repeat(10_000)}f`, entry);
    expect(await editor.write(objects)).toBe(expected);
  });

  it('reads at most 64 MiB of folders, even when a tree repeats one', async () => {
    const objects = new NewObjects();
    const { oid } = file(objects, 'the same');
    const files = Array.from({ length: 50_000 }, (_, index) => ({
      ...{ mode: FileMode.FILE, oid, name: `file-with-a-name-${String(index)}` },
    }));
    const folder = await objects.tree(files);
    const folders = Array.from({ length: 40 }, (_, index) => ({
      ...{ mode: FileMode.TREE, oid: folder, name: `folder-${String(index)}` },
    }));
    const root = await objects.tree(folders);
    await repository.store(objects);
    const editor = repository.editTree(root);
    const visited = folders.map(
      ({ name }) =>
        () =>
          editor.find(`${name}/file-with-a-name-7`),
    );
    expect(await visited[0]?.()).toMatchObject({ oid });
    await expect(
      visited.reduce<Promise<unknown>>((before, visit) => before.then(visit), Promise.resolve()),
    ).rejects.toThrow(ObjectTooLargeError);
  });

  it('refuses paths that leave the tree, and invalid trees', async () => {
    const editor = repository.editTree(await treeOf('a/b'));
    const wrong = ['', '/', '/a', 'a/', 'a//b', '.', '..', 'a/../b', './a', 'a\0b', '\ud800'];
    for (const path of wrong) {
      expect(await editor.find(path)).toBeNull();
      await expect(editor.put(path, { mode: FileMode.FILE, oid: EMPTY_TREE })).rejects.toThrow(
        InvalidArgumentError,
      );
      await expect(editor.remove(path)).rejects.toThrow(InvalidArgumentError);
    }
    const source = await workshop.repository(importStream([{}]));
    const blob = await git(['rev-parse', 'master:file.txt'], { cwd: source.path });
    for (const oid of [SUBMODULE, blob]) {
      await expect(source.editTree(oid).find('a')).rejects.toThrow(ObjectMissingError);
    }
  });
});
