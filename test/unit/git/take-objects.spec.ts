import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Repository, RepositoryMissingError } from '../../../src/git/index.js';
import { explode, packsOf } from './support/explode.js';
import { HttpHost } from './support/http-host.js';
import { git, gitOutput, importStream, line, tryGit, Workshop } from './support/workshop.js';

const MISSING = 'd'.repeat(40);

describe('commits taken from another repository', () => {
  let workshop: Workshop;
  let target: Repository;
  let fork: Repository;
  let master: string;

  const inFork = (...args: string[]) => git(args, { cwd: fork.path });
  const inTarget = (...args: string[]) => git(args, { cwd: target.path });
  const has = async (oid: string) =>
    (await tryGit(['cat-file', '-e', oid], { cwd: target.path })).code === 0;

  beforeAll(async () => {
    workshop = await Workshop.open();
  });
  afterAll(() => workshop.close());

  beforeEach(async () => {
    target = await workshop.repository(line(5));
    await inTarget('repack', '-adq');
    fork = await workshop.emptyRepository();
    await fork.copyFrom(target);
    master = await inTarget('rev-parse', 'master');
  });

  /** A commit on a branch of the fork, with one file more. */
  const commitInFork = async (branch: string, parent: string, file: string) => {
    const stream = [
      `commit refs/heads/${branch}\ncommitter A <a@b> 1700001000 +0000\ndata 1\nx\n`,
      `from ${parent}\nM 100644 inline ${file}\ndata ${String(file.length)}\n${file}\n\n`,
    ].join('');
    await git(['fast-import', '--quiet', '--force'], { cwd: fork.path, input: stream });
    return inFork('rev-parse', branch);
  };

  it('include only the new objects of the other repository', async () => {
    const wanted = await commitInFork('topic', master, 'new.txt');
    const other = await commitInFork('other', master, 'private.txt');
    await target.takeFrom(fork, wanted, [master]);
    expect(await has(wanted)).toBe(true);
    expect(await has(other)).toBe(false);
    expect(await inTarget('rev-list', '--objects', wanted, `^${master}`)).toContain('new.txt');
    const added = await inTarget('count-objects', '-v');
    expect(added).toMatch(/^packs: 2$/m);
    // The commit, its tree and its file.
    expect(added).toMatch(/^in-pack: 18$/m);
    await inTarget('fsck', '--strict');
  });

  it('survive without the other repository, also after git gc', async () => {
    const wanted = await commitInFork('topic', master, 'new.txt');
    await target.takeFrom(fork, wanted, [master]);
    await target.keepAround([wanted, master]);
    await workshop.git.removeRepository(fork.path);
    await target.housekeeping();
    await inTarget('update-ref', '-d', 'refs/heads/master');
    await inTarget('gc', '--prune=now', '-q');
    await inTarget('fsck', '--strict', '--full');
    expect(await inTarget('show', `${wanted}:new.txt`)).toBe('new.txt');
    expect(await inTarget('rev-list', '--count', wanted)).toBe('6');
  });

  it('are not copied again when they exist', async () => {
    const wanted = await commitInFork('topic', master, 'new.txt');
    await target.takeFrom(fork, wanted, [master]);
    const before = await packsOf(target);
    await target.takeFrom(fork, wanted, []);
    await target.takeFrom(fork, master, []);
    expect(await packsOf(target)).toEqual(before);
  });

  it('are not copied when their size is refused', async () => {
    const wanted = await commitInFork('topic', master, 'new.txt');
    const before = await target.size();
    let asked = 0;
    const refuse = (bytes: number): Promise<void> => {
      asked = bytes;
      return Promise.reject(new Error('No room'));
    };
    await expect(target.takeFrom(fork, wanted, [master], refuse)).rejects.toThrow('No room');
    expect(await has(wanted)).toBe(false);
    expect(await target.size()).toBe(before);
    await target.takeFrom(fork, wanted, [master], (bytes, store) => {
      expect(bytes).toBe(asked);
      return store();
    });
    expect(await target.size()).toBe(before + asked);
  });

  it('are copied completely when nothing is known, into an empty repository too', async () => {
    const empty = await workshop.emptyRepository();
    await empty.takeFrom(fork, master, []);
    expect(await git(['rev-list', '--count', master], { cwd: empty.path })).toBe('5');
    await git(['fsck', '--strict'], { cwd: empty.path });
  });

  it('can be copied concurrently', async () => {
    const wanted = await commitInFork('topic', master, 'new.txt');
    const later = await commitInFork('topic', wanted, 'later.txt');
    await Promise.all(
      [wanted, later, later].map((commit) => target.takeFrom(fork, commit, [master])),
    );
    await inTarget('fsck', '--strict');
    expect(await inTarget('show', `${later}:new.txt`)).toBe('new.txt');
  });

  it('leave nothing behind when they are missing', async () => {
    await expect(target.takeFrom(fork, MISSING, [master])).rejects.toMatchObject({
      name: 'GitProcessError',
    });
    const wanted = await commitInFork('topic', master, 'new.txt');
    const blob = await inFork('rev-parse', `${wanted}:new.txt`);
    await explode(fork);
    await rm(join(fork.path, 'objects', blob.slice(0, 2), blob.slice(2)));
    await expect(target.takeFrom(fork, wanted, [master])).rejects.toMatchObject({
      code: 'process',
    });
    expect(await has(wanted)).toBe(false);
    expect(await packsOf(target)).toHaveLength(1);
    const names = await readdir(join(target.path, 'objects'));
    expect(names.filter((name) => name.startsWith('incoming-'))).toEqual([]);
  });

  it('are not considered complete because the commit itself exists', async () => {
    const wanted = await commitInFork('topic', master, 'new.txt');
    const input = await gitOutput(['cat-file', 'commit', wanted], { cwd: fork.path });
    await git(['hash-object', '-w', '-t', 'commit', '--stdin'], { cwd: target.path, input });
    expect(await has(wanted)).toBe(true);
    await target.takeFrom(fork, wanted, [master]);
    expect(await inTarget('show', `${wanted}:new.txt`)).toBe('new.txt');
  });

  it('report the missing repository', async () => {
    const nowhere = workshop.git.repository(workshop.path('nowhere'));
    await expect(target.takeFrom(nowhere, master, [])).rejects.toThrow(RepositoryMissingError);
    await expect(nowhere.takeFrom(fork, master, [])).rejects.toThrow(RepositoryMissingError);
  });
});

describe('commits that are kept around', () => {
  let workshop: Workshop;
  beforeAll(async () => {
    workshop = await Workshop.open();
  });
  afterAll(() => workshop.close());

  it('have refs hidden from fetches and pushes', async () => {
    const repository = await workshop.repository(
      importStream([{}, { branch: 'topic', parents: [1] }]),
    );
    const topic = await git(['rev-parse', 'topic'], { cwd: repository.path });
    await Promise.all([
      repository.keepAround([topic, topic]),
      repository.keepAround([topic]),
      repository.keepAround([]),
    ]);
    await git(['update-ref', 'refs/merge-requests/1/head', topic], { cwd: repository.path });
    expect(await repository.refs.get(`refs/keep-around/${topic}`)).toBe(topic);

    const host = await HttpHost.open(repository);
    const listed = async (version: string) => {
      const told = await git(['-c', `protocol.version=${version}`, 'ls-remote', host.url]);
      return told.split('\n').map((row) => row.split('\t')[1]);
    };
    const refs = ['HEAD', 'refs/heads/master', 'refs/heads/topic', 'refs/merge-requests/1/head'];
    expect(await listed('0')).toEqual(refs);
    expect(await listed('2')).toEqual(refs);
    const advertised = await fetch(`${host.url}/info/refs?service=git-receive-pack`);
    const text = await advertised.text();
    expect(text).toContain('refs/heads/topic');
    expect(text).not.toMatch(/keep-around|merge-requests|\.have/);
    await host.close();
  });

  it('must exist', async () => {
    const repository = await workshop.emptyRepository();
    await expect(repository.keepAround([MISSING])).rejects.toThrow();
  });
});
