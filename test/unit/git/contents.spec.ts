import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import type { Repository } from '../../../src/git/index.js';
import { numbers, oddHistory } from './support/odd-history.js';
import { git, importStream, type ImportedCommit, line, Workshop } from './support/workshop.js';

describe('the contents of repositories', () => {
  let workshop: Workshop;

  beforeAll(async () => {
    workshop = await Workshop.open();
  });
  afterAll(() => workshop.close());

  const headOf = async (repository: Repository) => (await repository.resolveCommit('master')) ?? '';

  describe('files', () => {
    const store = async (repository: Repository, content: Buffer) => {
      const file = join(workshop.folder, 'content');
      await writeFile(file, content);
      return git(['hash-object', '-w', '--no-filters', file], { cwd: repository.path });
    };

    it('are buffered when small, without a process once warm', async () => {
      const repository = await workshop.emptyRepository();
      const text = await store(repository, Buffer.from('text\n'));
      const binary = await store(repository, Buffer.from([65, 0, 66]));
      const empty = await store(repository, Buffer.alloc(0));
      await repository.file(text);
      const spawned = workshop.git.spawnCount;
      expect(await repository.file(text)).toEqual({
        size: 5,
        isBinary: false,
        content: Buffer.from('text\n'),
      });
      expect(await repository.file(binary)).toMatchObject({ size: 3, isBinary: true });
      expect(await repository.file(empty)).toMatchObject({ size: 0, isBinary: false });
      expect(workshop.git.spawnCount).toBe(spawned);
    });

    it('are streamed when large, and can be abandoned', async () => {
      const repository = await workshop.emptyRepository();
      const content = Buffer.concat([Buffer.alloc(3_000_000, 'a'), randomBytes(1_000_000)]);
      const oid = await store(repository, content);
      const file = await repository.file(oid);
      expect(file).toMatchObject({ size: 4_000_000, isBinary: false });
      expect((await buffer(file?.content as Readable)).equals(content)).toBe(true);
      // More often than there are places for streams.
      for (let round = 0; round < 40; round += 1) {
        const left = (await repository.file(oid))?.content as Readable;
        left.destroy();
        await once(left, 'close');
      }
    });

    it('are blobs only', async () => {
      const repository = await workshop.repository(line(1));
      const head = await headOf(repository);
      const tree = await git(['rev-parse', 'master^{tree}'], { cwd: repository.path });
      const blob = await git(['rev-parse', 'master:file.txt'], { cwd: repository.path });
      for (const oid of [head, tree, '1'.repeat(40)]) expect(await repository.file(oid)).toBeNull();
      for (const name of [head, tree, 'master', 'zz', blob.slice(0, 3), `${blob}0`, '-x', '']) {
        expect(await repository.objects.findBlob(name)).toBeNull();
      }
      expect(await repository.objects.findBlob(blob.slice(0, 10))).toBe(blob);
    });
  });

  describe('archives', () => {
    it.each(['tar', 'zip'] as const)('equal git archive, as %s', async (format) => {
      const repository = await workshop.emptyRepository();
      const cwd = repository.path;
      await git(['fast-import', '--quiet', '--force'], { cwd, input: oddHistory(7, 30) });
      const commit = await headOf(repository);
      const folder = 'name-with ünusual "$(letters)';
      const archive = await buffer(await repository.archive({ commit, format, folder }));
      const file = join(workshop.folder, `archive.${format}`);
      const prefix = `--prefix=${folder}/`;
      await git(['archive', `--format=${format}`, prefix, `--output=${file}`, commit], { cwd });
      await writeFile(`${file}.ours`, archive);
      const sums = await git(['hash-object', '--no-filters', file, `${file}.ours`]);
      expect(new Set(sums.split('\n')).size).toBe(1);
    });

    it('are in one folder, which cannot be left', async () => {
      const repository = await workshop.repository(line(1));
      const commit = await headOf(repository);
      for (const folder of ['..', '.', '', 'a/b', '/', 'a\0b']) {
        await expect(repository.archive({ commit, format: 'tar', folder })).rejects.toThrow(
          'Not a folder name',
        );
      }
    });

    it('break off visibly where objects are missing', async () => {
      const repository = await workshop.repository(line(1));
      const tree = await git(['mktree', '--missing'], {
        cwd: repository.path,
        input: `100644 blob ${'1'.repeat(40)}\tgone\n`,
      });
      const commit = await git(['commit-tree', '-m', 'x', tree], { cwd: repository.path });
      const whole = async (): Promise<Buffer> =>
        buffer(await repository.archive({ commit, format: 'tar', folder: 'x' }));
      await expect(whole()).rejects.toThrow(/archive ended with/);
    });
  });

  describe('tag objects', () => {
    it('have a message and a tagger, other objects none', async () => {
      const repository = await workshop.repository(line(1));
      const cwd = repository.path;
      const head = await headOf(repository);
      await git(['tag', '-a', '-m', 'One\n\nTwo', 'one', 'master'], { cwd });
      await git(['tag', '-a', '--cleanup=verbatim', '-m', '', 'none', 'master'], { cwd });
      const tags = await repository.refs.list('refs/tags/');
      const oids = [...tags.map(({ target }) => target), head, '1'.repeat(40)];
      const tagger = {
        ...{ name: expect.any(String) as string, email: expect.any(String) as string },
        ...{
          date: expect.any(Date) as Date,
          timezone: expect.stringMatching(/^[+-]\d{4}$/) as string,
        },
      };
      const texts = [{ message: '', tagger }, { message: 'One\n\nTwo', tagger }, null, null];
      expect(await repository.objects.tags(oids)).toEqual(texts);
      const spawned = workshop.git.spawnCount;
      expect(await repository.objects.tags(oids)).toEqual(texts);
      expect(await repository.commitOf(oids[1] ?? '')).toBe(head);
      expect(workshop.git.spawnCount).toBe(spawned);
    });
  });

  describe('reachable commits', () => {
    it('are the ancestors that git lists, found by one process and cached', async () => {
      const random = numbers(5);
      const commits: ImportedCommit[] = [{}];
      for (let n = 1; n < 60; n += 1) {
        const parents = [...new Set([1 + random(n), 1 + random(n)])];
        commits.push({ parents, branch: n % 3 === 0 ? `side${n}` : 'master' });
      }
      const repository = await workshop.repository(importStream(commits));
      const cwd = repository.path;
      const heads = (await repository.refs.list('refs/heads/')).map(({ target }) => target);
      const master = await headOf(repository);
      const merged = await git(['branch', '--merged=master', '--format=%(objectname)'], { cwd });
      const before = workshop.git.spawnCount;
      const found = await repository.reachable(heads, master);
      expect([...found].sort()).toEqual([...new Set(merged.split('\n'))].sort());
      expect(found.size).toBeLessThan(heads.length);
      expect(workshop.git.spawnCount).toBe(before + 1);
      expect(await repository.reachable(heads, master)).toEqual(found);
      expect(await repository.reachable([], master)).toEqual(new Set());
      expect(workshop.git.spawnCount).toBe(before + 1);
    });

    it('match git while the other commit moves forward, sideways and back', async () => {
      const random = numbers(9);
      const commits: ImportedCommit[] = [{ branch: 'c1' }];
      for (let n = 1; n < 50; n += 1) {
        const near = () => Math.max(1, n - random(6));
        const parents = [...new Set(random(3) === 0 ? [near(), 1 + random(n)] : [near()])];
        commits.push({ parents, branch: `c${n + 1}` });
      }
      const repository = await workshop.repository(importStream(commits));
      const cwd = repository.path;
      const heads = (await repository.refs.list('refs/heads/')).map(({ target }) => target);
      for (const tip of [20, 25, 31, 31, 40, 12, 49, 30, 50]) {
        const from = (await repository.refs.get(`refs/heads/c${tip}`)) ?? '';
        const asked = heads.filter(() => random(3) > 0);
        const all = (await git(['rev-list', from], { cwd })).split('\n');
        const found = await repository.reachable(asked, from);
        expect(found).toEqual(new Set(asked.filter((oid) => all.includes(oid))));
      }
    });
  });

  describe('the newest commits', () => {
    it('match git, for one path or without merges', async () => {
      const repository = await workshop.repository(
        importStream([
          { files: { a: '1', b: '1' } },
          { files: { b: '2' } },
          { files: { c: '1' }, branch: 'side', parents: [1] },
          { files: { a: '1', b: '2', c: '1' }, parents: [2, 3] },
        ]),
      );
      const cwd = repository.path;
      const master = await headOf(repository);
      for (const path of ['a', 'b', 'c', 'absent', '-x']) {
        const told = await git(['rev-list', '-1', 'master', '--', path], { cwd });
        expect(await repository.lastChange(master, path)).toBe(told === '' ? null : told);
      }
      const plain = await git(['rev-list', '--no-merges', 'master'], { cwd });
      expect(await repository.newestPlain(master, 9)).toEqual(plain.split('\n'));
      expect(await repository.newestPlain(master, 2)).toEqual(plain.split('\n').slice(0, 2));
      const spawned = workshop.git.spawnCount;
      await repository.lastChange(master, 'a');
      await repository.newestPlain(master, 9);
      expect(workshop.git.spawnCount).toBe(spawned);
    });
  });
});
