import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  FileMode,
  NewObjects,
  ObjectsRefusedError,
  type Repository,
} from '../../../src/git/index.js';
import { git, gitOutput, importStream, Workshop } from './support/workshop.js';

const ADA = { name: 'Ada', email: 'ada@example.com', date: new Date(0), timezone: '+0000' };
/** Where the head of a pack's entry gets one byte more. */
const SIZES = [0, 1, 15, 16, 17, 2_047, 2_048, 262_143, 262_144, 3_000_000];

describe('new objects', () => {
  let workshop: Workshop;
  let repository: Repository;

  beforeAll(async () => {
    workshop = await Workshop.open();
  });
  afterAll(() => workshop.close());
  beforeEach(async () => {
    repository = await workshop.emptyRepository();
  });

  const everything = async (): Promise<string[]> =>
    (await readdir(repository.path, { recursive: true })).sort();

  it('are stored unchanged at any size', async () => {
    const objects = new NewObjects();
    const contents = SIZES.flatMap((size) => [Buffer.alloc(size, 'a'), randomBytes(size)]);
    const oids = contents.map((content) => objects.blob(content));
    await repository.store(objects);
    const cwd = repository.path;
    for (const [index, oid] of oids.entries()) {
      const content = contents[index] as Buffer;
      const head = `blob ${String(content.length)}\0`;
      expect(oid).toBe(createHash('sha1').update(head).update(content).digest('hex'));
      expect(await git(['cat-file', '-s', oid], { cwd })).toBe(String(content.length));
    }
    // git reads every one of them again and compares its id.
    await git(['fsck', '--strict', '--no-dangling'], { cwd });
  });

  it('are blobs, trees, commits and tags in the format of git', async () => {
    const objects = new NewObjects();
    const blob = objects.blob(Buffer.from('x\n'));
    const tree = await objects.tree([{ mode: FileMode.FILE, name: 'file.txt', oid: blob }]);
    const terms = { tree, author: ADA, committer: ADA };
    const first = objects.commit({ ...terms, parents: [], message: 'Grüße\n' });
    const merge = objects.commit({ ...terms, parents: [first, first], message: '' });
    const tag = objects.tag({ target: merge, name: 'v1', tagger: ADA, message: 'Tagged\n' });
    await repository.store(objects);
    const cwd = repository.path;
    const environment = { GIT_AUTHOR_DATE: '@0 +0000', GIT_COMMITTER_DATE: '@0 +0000' };
    const byGit = async (...args: string[]) => git(args, { cwd, environment });
    expect(await byGit('commit-tree', '-m', 'Grüße', tree)).toBe(first);
    expect(await gitOutput(['cat-file', 'tag', tag], { cwd })).toBe(
      `object ${merge}\ntype commit\ntag v1\ntagger Ada <ada@example.com> 0 +0000\n\nTagged\n`,
    );
    expect(await byGit('log', '-1', '--format=%P|%B', merge)).toBe(`${first} ${first}|`);
    await git(['fsck', '--strict', '--no-dangling'], { cwd });
  });

  it('may exist already, some or all of them', async () => {
    const source = await workshop.repository(importStream([{ files: { a: '1\n' } }]));
    const objects = new NewObjects();
    const known = objects.blob(Buffer.from('1\n'));
    await source.store(objects);
    await source.store(objects);
    await objects.tree([{ mode: FileMode.FILE, name: 'again', oid: known }]);
    await source.store(objects);
    await git(['fsck', '--strict', '--no-dangling'], { cwd: source.path });
  });

  it('write nothing for an empty set', async () => {
    const before = await everything();
    await repository.store(new NewObjects());
    expect(await everything()).toEqual(before);
  });

  it('can be stored concurrently', async () => {
    const collections = Array.from({ length: 8 }, (_, index) => {
      const objects = new NewObjects();
      objects.blob(Buffer.from('the same'));
      return { objects, oid: objects.blob(Buffer.from(String(index))) };
    });
    await Promise.all(collections.map(({ objects }) => repository.store(objects)));
    for (const { oid } of collections) {
      expect(await git(['cat-file', '-t', oid], { cwd: repository.path })).toBe('blob');
    }
    await git(['fsck', '--strict', '--no-dangling'], { cwd: repository.path });
  });

  const named = async (...names: string[]) => {
    const objects = new NewObjects();
    const oid = objects.blob(Buffer.from('x'));
    await objects.tree(names.map((name) => ({ mode: FileMode.FILE, name, oid })));
    return objects;
  };

  it.each([
    ['a name twice', named('a', 'a'), /duplicateEntries/],
    ['a folder of git', named('.git'), /hasDotgit/],
    ['a folder of git in another spelling', named('.GIT'), /hasDotgit/],
    ['a short name of a folder of git', named('git~1'), /hasDotgit/],
    ['a way out', named('..'), /hasDotdot/],
    ['a folder itself', named('.'), /hasDot/],
    ['a slash', named('a/b'), /fullPathname/],
    ['no name', named(''), /emptyName|badTree/],
  ])('are refused with %s, without leftover files', async (_, made, reason) => {
    const objects = await made;
    const before = await everything();
    const refused = repository.store(objects);
    await expect(refused).rejects.toThrow(ObjectsRefusedError);
    await expect(refused).rejects.toMatchObject({
      reason: expect.stringMatching(reason) as string,
    });
    expect(await everything()).toEqual(before);
  });

  it('are refused without the objects they refer to, without leftover files', async () => {
    const objects = new NewObjects();
    await objects.tree([{ mode: FileMode.FILE, name: 'a', oid: 'a'.repeat(40) }]);
    const before = await everything();
    await expect(repository.store(objects)).rejects.toThrow(/index-pack/);
    expect(await everything()).toEqual(before);
    expect(await readdir(join(repository.path, 'objects'))).toEqual(['info', 'pack']);
  });
});
