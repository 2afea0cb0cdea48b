import { execFile } from 'node:child_process';
import { link, mkdtemp, open, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  IncompleteCopyError,
  type Repository,
  RepositoryMissingError,
} from '../../../src/git/index.js';
import { explode, packsOf } from './support/explode.js';
import { git, importStream, line, tryGit, Workshop } from './support/workshop.js';

/** Branches and tags as git lists them. */
const refsOf = (repository: Repository) =>
  git(['for-each-ref', '--format=%(refname) %(objectname)'], { cwd: repository.path });

describe('copying a repository', () => {
  let workshop: Workshop;
  let source: Repository;
  let fork: Repository;
  const inSource = (...args: string[]) => git(args, { cwd: source.path });

  beforeAll(async () => {
    workshop = await Workshop.open();
  });

  afterAll(() => workshop.close());

  beforeEach(async () => {
    source = await workshop.repository(
      line(20) + importStream([{ branch: 'topic/one' }, { branch: 'zoë' }]),
    );
    await inSource('tag', 'light', 'master');
    await inSource('tag', '-a', '-m', 'heavy', 'heavy', 'master~3');
    await inSource('symbolic-ref', 'HEAD', 'refs/heads/topic/one');
    await inSource('repack', '-adq');
    fork = await workshop.emptyRepository();
  });

  it('copies branches, tags and HEAD, and shares the packs', async () => {
    await inSource('update-ref', 'refs/merge-requests/1/head', 'master');
    await inSource('update-ref', 'refs/keep/1', 'master');
    const before = await refsOf(source);
    await fork.copyFrom(source);

    const expected = before.split('\n').filter((ref) => /^refs\/(heads|tags)\//.test(ref));
    expect((await refsOf(fork)).split('\n')).toEqual(expected);
    expect(expected).toHaveLength(5);
    expect(await fork.refs.head()).toBe('topic/one');
    expect(await fork.resolveCommit('heavy')).toBe(await inSource('rev-parse', 'master~3'));

    const packs = await packsOf(fork);
    expect(packs).toHaveLength(1);
    expect(packs).toEqual(await packsOf(source));
    for (const pack of packs) {
      const [mine, theirs] = await Promise.all(
        [fork, source].map(({ path }) => stat(join(path, 'objects/pack', pack))),
      );
      expect(mine?.ino).toBe(theirs?.ino);
    }
    expect(await readdir(join(fork.path, 'objects/info'))).toEqual([]);
    expect(await refsOf(source)).toBe(before);
  });

  it('survives repacking and removal of the source', async () => {
    await fork.copyFrom(source);
    const refs = await refsOf(fork);
    const count = await inSource('rev-list', '--all', '--count');
    await inSource('repack', '-adfq');
    await source.housekeeping();
    await workshop.git.removeRepository(source.path);

    await git(['fsck', '--strict', '--no-dangling'], { cwd: fork.path });
    expect(await refsOf(fork)).toBe(refs);
    const clone = await workshop.clone(fork.path, '--mirror');
    expect(await git(['rev-list', '--all', '--count'], { cwd: clone })).toBe(count);
    expect(await fork.housekeeping()).toMatchObject({ looseAfter: 0 });
    await git(['fsck', '--strict', '--no-dangling'], { cwd: fork.path });
  });

  it('copies loose objects too, and never changes shared files', async () => {
    const tree = await inSource('write-tree');
    const commit = await inSource('commit-tree', tree, '-p', 'master', '-m', 'loose');
    await inSource('update-ref', 'refs/heads/master', commit);
    await fork.copyFrom(source);
    expect(await fork.resolveCommit('master')).toBe(commit);
    await fork.housekeeping();
    await git(['repack', '-adfq'], { cwd: fork.path });
    await inSource('fsck', '--strict', '--no-dangling');
  });

  it('copies where files cannot be linked', async () => {
    const { dev } = await stat(tmpdir());
    const isInMemory = (await stat('/dev/shm')).dev === dev;
    const elsewhere = await mkdtemp(`${isInMemory ? '/var/tmp' : '/dev/shm'}/trellis-copy-`);
    try {
      expect((await stat(elsewhere)).dev).not.toBe(dev);
      await inSource(
        'update-ref',
        'refs/heads/loose',
        await inSource('commit-tree', '-m', 'l', 'master^{tree}'),
      );
      const path = join(elsewhere, 'fork.git');
      await workshop.git.createRepository(path);
      const far = workshop.git.repository(path);
      await far.copyFrom(source);
      expect(await refsOf(far)).toBe(await refsOf(source));
      await git(['fsck', '--strict', '--no-dangling'], { cwd: path });
      const names = await readdir(join(path, 'objects'), { recursive: true });
      expect(names.filter((name) => name.includes('tmp_') || name.includes('incoming'))).toEqual(
        [],
      );
    } finally {
      await rm(elsewhere, { recursive: true, force: true });
    }
  });

  it('continues after a killed run, and skips a filled repository', async () => {
    const [pack = ''] = await packsOf(source);
    const names = [join(source.path, 'objects/pack', pack), join(fork.path, 'objects/pack', pack)];
    await link(names[0] ?? '', names[1] ?? '');
    await writeFile(join(fork.path, 'objects/incoming-abandoned'), 'half a list of refs');
    await fork.copyFrom(source);
    expect(await refsOf(fork)).toBe(await refsOf(source));
    const refs = await refsOf(fork);

    await inSource('branch', 'later', 'master');
    await fork.copyFrom(source);
    expect(await refsOf(fork)).toBe(refs);
  });

  it('succeeds for two concurrent runs', async () => {
    await Promise.all([fork.copyFrom(source), fork.copyFrom(source)]);
    expect(await refsOf(fork)).toBe(await refsOf(source));
    await git(['fsck', '--strict', '--no-dangling'], { cwd: fork.path });
  });

  it('copies an emptied repository, whose refs were packed, like an empty one', async () => {
    await git(['pack-refs', '--all'], { cwd: fork.path });
    await fork.copyFrom(source);
    expect(await refsOf(fork)).toBe(await refsOf(source));
    const empty = await workshop.emptyRepository();
    await empty.refs.setHead('trunk');
    const second = await workshop.emptyRepository();
    await second.copyFrom(empty);
    expect(await second.isEmpty()).toBe(true);
    expect(await second.refs.head()).toBe('trunk');
  });

  it('loses nothing during packing of and pushes to the source', async () => {
    const enough = new AbortController();
    const busy = (async () => {
      for (let n = 0; !enough.signal.aborted; n += 1) {
        await inSource('commit-tree', '-m', `loose ${n}`, 'master^{tree}');
        await inSource('repack', n % 2 === 0 ? '-adq' : '-dq');
        await source.housekeeping();
      }
    })();
    for (let round = 0; round < 8; round += 1) {
      const copy = await workshop.emptyRepository();
      await copy.copyFrom(source);
      expect(await refsOf(copy)).toBe(await refsOf(source));
      await git(['fsck', '--strict', '--no-dangling'], { cwd: copy.path });
    }
    enough.abort();
    await busy;
  });

  it('creates no refs unless all their objects exist', async () => {
    const blob = await inSource('rev-parse', 'master~5:file.txt');
    await explode(source);
    await rm(join(source.path, 'objects', blob.slice(0, 2), blob.slice(2)));
    await expect(fork.copyFrom(source)).rejects.toThrow(IncompleteCopyError);
    expect(await refsOf(fork)).toBe('');
  });

  it('creates nothing anew when the copy is removed meanwhile', async () => {
    const pipe = workshop.path('included');
    await promisify(execFile)('mkfifo', [pipe]);
    await git(['config', 'include.path', pipe], { cwd: fork.path });
    const copied = fork.copyFrom(source).catch((error: unknown) => error);
    // Opens when git reads the configuration, and has found the repository.
    const writer = await open(pipe, 'w');
    await workshop.git.removeRepository(fork.path);
    await writer.close();
    expect(await copied).toMatchObject({ name: 'RepositoryMissingError', path: fork.path });
    await expect(stat(fork.path)).rejects.toThrow('ENOENT');
  });

  it('names the missing repository', async () => {
    const nowhere = workshop.git.repository(workshop.path('nowhere'));
    await expect(fork.copyFrom(nowhere)).rejects.toMatchObject({ path: nowhere.path });
    await expect(nowhere.copyFrom(source)).rejects.toMatchObject({ path: nowhere.path });
    await expect(nowhere.copyFrom(source)).rejects.toThrow(RepositoryMissingError);
  });

  it('stops on abort', async () => {
    const stop = AbortSignal.abort(new Error('enough'));
    await expect(fork.copyFrom(source, { signal: stop })).rejects.toThrow('enough');
    expect(await refsOf(fork)).toBe('');
  });

  it('writes many refs in one step', async () => {
    const tip = await inSource('rev-parse', 'master');
    const updates = Array.from({ length: 1000 }, (_, n) => `create refs/heads/many/${n} ${tip}\n`);
    await git(['update-ref', '--stdin'], { cwd: source.path, input: updates.join('') });
    await fork.copyFrom(source);
    expect((await fork.refs.list('refs/heads/many/')).length).toBe(1000);
    expect(await refsOf(fork)).toBe(await refsOf(source));
    const { code } = await tryGit(['update-ref', 'refs/heads/many/1', tip, tip], {
      cwd: fork.path,
    });
    expect(code).toBe(0);
  });
});
