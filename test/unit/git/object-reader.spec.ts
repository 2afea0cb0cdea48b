import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ObjectMissingError, ObjectTooLargeError, type Git } from '../../../src/git/index.js';
import { parseCommit } from '../../../src/git/model/commit-parser.js';
import { descendantsOf, memoryOf } from '../../../src/git/process/process-memory.js';
import { EventLoopWaits } from './support/event-loop-waits.js';
import { git, importStream, line, Workshop } from './support/workshop.js';

const ABSENT = '1'.repeat(40);

describe('reading objects', () => {
  let workshop: Workshop;
  let runtime: Git;

  beforeAll(async () => {
    workshop = await Workshop.open();
    runtime = workshop.git;
  });

  afterAll(() => workshop.close());

  async function hashObject(path: string, content: Buffer): Promise<string> {
    const file = join(workshop.folder, 'blob');
    await writeFile(file, content);
    return git(['hash-object', '-w', file], { cwd: path });
  }

  it('reads binary content byte for byte', async () => {
    const repository = await workshop.emptyRepository();
    const content = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7) % 256));
    const oid = await hashObject(repository.path, content);
    const empty = await hashObject(repository.path, Buffer.alloc(0));
    const [whole, none] = await Promise.all([
      repository.objects.read(oid),
      repository.objects.read(empty),
    ]);
    expect(whole).toMatchObject({ oid, type: 'blob', size: content.length });
    expect(whole?.content.equals(content)).toBe(true);
    expect(none).toMatchObject({ size: 0, content: Buffer.alloc(0) });
    expect(await repository.objects.read(ABSENT)).toBeNull();
  });

  it('refuses objects above the limit, and streams them', async () => {
    const repository = await workshop.emptyRepository();
    const content = Buffer.alloc(3_000_000, 'abcdefg');
    const oid = await hashObject(repository.path, content);
    await expect(repository.objects.read(oid, { maxBytes: 1000 })).rejects.toThrow(
      ObjectTooLargeError,
    );
    const { size, content: stream } = await repository.objects.stream(oid);
    expect(size).toBe(content.length);
    expect((await buffer(stream)).equals(content)).toBe(true);
    await expect(repository.objects.stream(ABSENT)).rejects.toThrow(ObjectMissingError);
  });

  it('reads commits in the order of their ids, and warm without any process', async () => {
    const repository = await workshop.repository(line(40));
    const oids = (await git(['rev-list', 'master'], { cwd: repository.path })).split('\n');
    const asked = [...oids, ABSENT, oids[0] ?? ''];
    const commits = await repository.objects.commits(asked);
    expect(commits.map((commit) => commit?.oid ?? null)).toEqual([...oids, null, oids[0]]);
    const spawned = runtime.spawnCount;
    expect(await repository.objects.commits(oids)).toEqual(commits.slice(0, 40));
    expect(runtime.spawnCount).toBe(spawned);
  });

  it('yields to other work while it reads large commits', async () => {
    const message = '&'.repeat(1_000_000);
    const stream = importStream(Array.from({ length: 40 }, () => ({ message })));
    const repository = await workshop.repository(
      stream.replaceAll('\ndata 1000000\n', '\nencoding euc-kr$&'),
    );
    const oids = (await git(['rev-list', 'master'], { cwd: repository.path })).split('\n');
    const content = Buffer.from(`tree 1\nencoding euc-kr\n\n${message}`);
    const begun = performance.now();
    for (let count = 0; count < 10; count += 1) parseCommit(ABSENT, content);
    const ofTenMs = performance.now() - begun;
    const waits = new EventLoopWaits();
    const commits = await repository.objects.commits(oids);
    expect(Math.max(...waits.end())).toBeLessThan(2 * ofTenMs);
    expect(commits.map((commit) => commit?.message)).toEqual(oids.map(() => message));
  });

  it('sees objects that other processes add, pack and remove', async () => {
    const repository = await workshop.repository(line(3));
    const run = (...args: string[]) => git(args, { cwd: repository.path });
    const first = await run('rev-parse', 'master');
    expect(await repository.objects.info(first)).toMatchObject({ type: 'commit' });
    const loose = await hashObject(repository.path, Buffer.from('loose'));
    expect((await repository.objects.read(loose))?.content.toString()).toBe('loose');
    const spawned = runtime.spawnCount;
    await run('repack', '-a', '-d', '-k');
    expect((await repository.objects.read(loose))?.content.toString()).toBe('loose');
    expect(await repository.objects.info(first)).toMatchObject({ type: 'commit' });
    expect(runtime.spawnCount).toBe(spawned);
  });

  it('counts lines of commits without keeping them in memory', async () => {
    const message = 'x'.repeat(1_000_000);
    const stream = importStream(Array.from({ length: 30 }, () => ({ message })));
    const repository = await workshop.repository(stream);
    const oids = (await git(['rev-list', 'master'], { cwd: repository.path })).split('\n');
    const counts = await Promise.all(oids.map((oid) => repository.stats(oid)));
    expect(counts).toEqual(oids.map((_, at) => ({ additions: 1, deletions: at === 29 ? 0 : 1 })));
    const largest = Math.max(...descendantsOf(process.pid).map(memoryOf));
    expect(largest).toBeLessThan(20_000_000);
  });

  it('does not mix up successive repositories at a path', async () => {
    const path = workshop.path('reborn');
    await runtime.createRepository(path);
    const repository = runtime.repository(path);
    await git(['fast-import', '--quiet'], { cwd: path, input: line(2) });
    const old = await repository.resolveCommit('master');
    expect(await repository.objects.commit(old ?? '')).not.toBeNull();
    expect((await repository.history({ start: old ?? '', skip: 0, limit: 5 })).total).toBe(2);

    // By another process of the service, of which this one is told nothing.
    const other = await workshop.anotherRoom();
    await other.removeRepository(path);
    expect(await repository.exists()).toBe(false);
    await other.createRepository(path);
    expect(await repository.exists()).toBe(true);
    expect(await repository.isEmpty()).toBe(true);
    expect(await repository.resolveCommit('master')).toBeNull();
    expect(await repository.objects.commit(old ?? '')).toBeNull();
    await expect(repository.history({ start: old ?? '', skip: 0, limit: 5 })).rejects.toThrow(
      ObjectMissingError,
    );
  });

  it('counts the lines a commit changes as git does', async () => {
    const repository = await workshop.repository(
      importStream([
        { files: { a: '1\n2\n3\n', 'b"\t\n': 'x\n', c: '\0binary' } },
        { files: { a: '1\n3\n4\n5\n' }, parents: [1], branch: 'side' },
        { files: { d: 'new' } },
        { files: { a: '1\n3\n4\n5\n' }, parents: [3, 2] },
      ]),
    );
    const expected: Record<string, [number, number]> = {
      'master~2': [4, 0],
      side: [2, 1],
      'master~1': [1, 0],
      master: [2, 1],
    };
    for (const [rev, [additions, deletions]] of Object.entries(expected)) {
      const oid = await git(['rev-parse', rev], { cwd: repository.path });
      expect([rev, await repository.stats(oid)]).toEqual([rev, { additions, deletions }]);
    }
    await expect(repository.stats(ABSENT)).rejects.toThrow(ObjectMissingError);
  });

  it('finds ancestors and merge bases', async () => {
    const repository = await workshop.repository(
      importStream([{}, { branch: 'side', parents: [1] }, {}, { branch: 'alone', parents: [] }]),
    );
    const at = async (rev: string) => (await repository.resolveCommit(rev)) ?? '';
    const [master, side, alone] = [await at('master'), await at('side'), await at('alone')];
    const root = await git(['rev-parse', 'master~1'], { cwd: repository.path });
    expect(await repository.isAncestor(root, side)).toBe(true);
    expect(await repository.isAncestor(master, side)).toBe(false);
    expect(await repository.mergeBase(master, side)).toBe(root);
    expect(await repository.mergeBase(master, alone)).toBeNull();
    await expect(repository.isAncestor(ABSENT, side)).rejects.toThrow(ObjectMissingError);
    await expect(repository.mergeBase(side, ABSENT)).rejects.toThrow(ObjectMissingError);
    const spawned = runtime.spawnCount;
    expect(await repository.isAncestor(root, side)).toBe(true);
    expect(await repository.mergeBase(master, alone)).toBeNull();
    expect(runtime.spawnCount).toBe(spawned);
  });

  it('reads repositories of another account', async () => {
    const repository = await workshop.repository(line(1));
    // Possible for the superuser alone; for others the owner stays the same.
    if (process.getuid?.() === 0) {
      await chown(repository.path, 12345, 12345);
    }
    const chunks: Buffer[] = [];
    const output = new PassThrough().on('data', (chunk: Buffer) => chunks.push(chunk));
    const result = await repository.advertise({ service: 'git-upload-pack', output });
    expect(result).toEqual({ exitCode: 0, stderr: '' });
    expect(Buffer.concat(chunks).toString()).toContain('refs/heads/master');
  });
});
