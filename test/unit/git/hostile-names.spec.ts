import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { assert, asyncProperty, constantFrom, integer, oneof, string, tuple } from 'fast-check';
import type { Repository } from '../../../src/git/index.js';
import { git, importStream, Workshop } from './support/workshop.js';

const HARMFUL = [
  '-oProxyCommand=touch x',
  '--upload-pack=touch x',
  '--output=x',
  '../../x',
  'HEAD',
  'HEAD@{1}',
  'refs/heads/a..b',
  '.git/config',
  'master^{tree}',
  'master:file.txt',
  ':/Commit',
  '^master',
  '@{-1}',
  '#end',
  'flush',
  'contents master',
  '\n',
  '\0',
  '"',
  '\ud800',
  'x'.repeat(4000),
];

/** Anything at all, what means harm, and both together. */
const names = oneof(
  string({ unit: 'binary', maxLength: 60 }),
  string({ unit: constantFrom(...'abcdef0123456789'), minLength: 1, maxLength: 41 }),
  tuple(constantFrom(...HARMFUL), string({ unit: 'grapheme', maxLength: 10 })).map((two) =>
    two.join(''),
  ),
  tuple(string({ maxLength: 10 }), constantFrom(...HARMFUL)).map((two) => two.join('')),
);

describe('arbitrary names', () => {
  let workshop: Workshop;
  let repository: Repository;
  let head: string;
  let tree: string;
  let known: Set<string>;

  beforeAll(async () => {
    workshop = await Workshop.open();
    repository = await workshop.repository(importStream([{ files: { 'a/b': '1\n', c: '2\n' } }]));
    head = await git(['rev-parse', 'master'], { cwd: repository.path });
    tree = await git(['rev-parse', 'master^{tree}'], { cwd: repository.path });
    const objects = await git(['rev-list', '--objects', '--no-object-names', 'master'], {
      cwd: repository.path,
    });
    known = new Set(objects.split('\n'));
  });
  afterAll(() => workshop.close());

  const everything = async () => (await readdir(workshop.folder, { recursive: true })).sort();

  /** Whether a name is the beginning of an object's id, or begins with that of the default branch. */
  const isKnown = (name: string) =>
    /^(?:HEAD|@)(?:$|[~^])/.test(name) ||
    [...known].some((oid) => name.length >= 4 && oid.startsWith(name.toLowerCase()));

  it('find, start and write nothing', async () => {
    await repository.trees.walk(tree);
    await repository.resolveCommit('master');
    const before = await everything();
    const spawned = workshop.git.spawnCount;
    await assert(
      asyncProperty(names, integer({ min: 0, max: 2 }), async (name, slashes) => {
        const path = name + '/'.repeat(slashes);
        if (isKnown(name)) return;
        expect(await repository.resolveCommit(name)).toBeNull();
        expect(await repository.objects.findBlob(name)).toBeNull();
        expect(await repository.refs.get(`refs/tags/${name}`)).toBeNull();
        if (!['a', 'c', 'a/b'].includes(name)) {
          expect(await repository.trees.find(tree, path)).toBeNull();
        }
      }),
      { numRuns: 3000 },
    );
    expect(workshop.git.spawnCount).toBe(spawned);
    expect(await everything()).toEqual(before);
  });

  it('reach git only as paths', async () => {
    const before = await everything();
    await assert(
      asyncProperty(names, async (path) => {
        if (['a', 'c', 'a/b', 'a/'].includes(path)) return;
        expect(await repository.lastChange(head, path)).toBeNull();
      }),
      { numRuns: 150 },
    );
    expect(await everything()).toEqual(before);
    expect(await readdir(join(workshop.folder, 'runtime', 'home'))).toEqual([]);
  });
});
