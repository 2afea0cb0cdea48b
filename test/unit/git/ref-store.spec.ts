import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import {
  InvalidArgumentError,
  RefConflictError,
  RepositoryMissingError,
  StaleRefError,
  ZERO_OID,
  type Repository,
} from '../../../src/git/index.js';
import { parsePackedRefs } from '../../../src/git/refs/packed-refs.js';
import { parseLooseRef } from '../../../src/git/refs/ref-files.js';
import { git, line, Workshop } from './support/workshop.js';

describe('refs', () => {
  let workshop: Workshop;
  let repository: Repository;
  let oids: string[];
  const run = (...args: string[]) => git(args, { cwd: repository.path });

  beforeAll(async () => {
    workshop = await Workshop.open();
  });

  afterAll(() => workshop.close());

  beforeEach(async () => {
    repository = await workshop.repository(line(3));
    oids = (await run('rev-list', 'master')).split('\n');
  });

  const oid = (n: number) => oids[n] ?? '';
  const create = (ref: string, newOid: string) => ({ ref, oldOid: ZERO_OID, newOid });

  it('are listed like git, loose, packed and both', async () => {
    const names = ['a', 'feature/x', 'feature/y', 'feature-z', 'Ümläut', 'b.c'];
    await repository.refs.update(names.map((name) => create(`refs/heads/${name}`, oid(1))));
    await run('tag', '-a', '-m', 'x', 'v1', 'master');
    await run('pack-refs', '--all');
    await run('branch', '-f', 'a', oid(0));
    await run('branch', '-D', 'feature/y');
    await run('branch', 'feature/n/e/w', oid(2));
    for (const prefix of ['refs/heads/', 'refs/tags/', 'refs/heads/feature/', 'refs/none/']) {
      const listed = await run('for-each-ref', '--format=%(refname) %(objectname)', prefix);
      const refs = await repository.refs.list(prefix);
      expect(refs.map(({ name, target }) => `${name} ${target}`).join('\n')).toBe(listed);
    }
    expect(await repository.refs.peeled('refs/tags/v1')).toBe(oid(0));
    expect(await repository.refs.get('refs/heads/a')).toBe(oid(0));
    expect(await repository.refs.get('refs/heads/feature')).toBeNull();
    expect(await repository.refs.get('refs/heads/a/b')).toBeNull();
    expect(await repository.refs.get('HEAD')).toBeNull();
    expect(await repository.refs.get('refs/../HEAD')).toBeNull();
    await expect(repository.refs.list('../')).rejects.toThrow(InvalidArgumentError);
  });

  it('move after the last check, which locks them, and stay when it fails', async () => {
    const topic = [create('refs/heads/topic', oid(1))];
    const lock = join(repository.path, 'refs/heads/topic.lock');
    const refused = await repository.refs.begin();
    const refusal = new Error('not any more');
    await expect(refused.commit(topic, () => Promise.reject(refusal))).rejects.toBe(refusal);
    await refused.abandon();
    expect(await repository.refs.get('refs/heads/topic')).toBeNull();
    const stolen = await repository.refs.begin();
    // As others do who take over: without its lock git cannot change the ref, however late it is.
    await expect(stolen.commit(topic, () => rm(lock))).rejects.toThrow();
    expect(await repository.refs.get('refs/heads/topic')).toBeNull();
    const change = await repository.refs.begin();
    await change.commit(topic, async () => {
      await readFile(lock);
      expect(await repository.refs.get('refs/heads/topic')).toBeNull();
    });
    expect(await repository.refs.get('refs/heads/topic')).toBe(oid(1));
    const stale = await repository.refs.begin();
    const confirm = jest.fn();
    await expect(stale.commit(topic, confirm)).rejects.toThrow(StaleRefError);
    expect(confirm).not.toHaveBeenCalled();
  });

  it('limit the wait for the locks of git', async () => {
    const change = await repository.refs.begin();
    // git waits for a writer, as it waits for a file system that hangs.
    await rm(join(repository.path, 'packed-refs'), { force: true });
    await promisify(execFile)('mkfifo', [join(repository.path, 'packed-refs')]);
    const realTimeout = setTimeout;
    const timers = jest
      .spyOn(globalThis, 'setTimeout')
      .mockImplementation((call: () => void, ms?: number) =>
        realTimeout(call, ms === 60_000 ? 100 : ms),
      );
    const confirm = jest.fn();
    const topic = [create('refs/heads/topic', oid(1))];
    await expect(change.commit(topic, confirm)).rejects.toThrow();
    timers.mockRestore();
    expect(confirm).not.toHaveBeenCalled();
  });

  it('are read without any process', async () => {
    const spawned = workshop.git.spawnCount;
    await repository.refs.list('refs/');
    await repository.refs.head();
    await repository.isEmpty();
    expect(workshop.git.spawnCount).toBe(spawned);
  });

  it('stay visible while they are packed and changed', async () => {
    const work = { packing: true };
    const packer = (async () => {
      for (let n = 0; n < 15; n += 1) {
        await run('update-ref', 'refs/heads/master', oid(n % 3));
        await run('pack-refs', '--all');
      }
      work.packing = false;
    })();
    while (work.packing) {
      expect(oids).toContain(await repository.refs.get('refs/heads/master'));
      expect(await repository.refs.list('refs/heads/')).toHaveLength(1);
    }
    await packer;
  });

  it('follow symbolic refs to a bounded depth', async () => {
    await run('symbolic-ref', 'refs/heads/link', 'refs/heads/master');
    await run('symbolic-ref', 'refs/heads/loop', 'refs/heads/loop');
    expect(await repository.refs.get('refs/heads/link')).toBe(oid(0));
    expect(await repository.refs.get('refs/heads/loop')).toBeNull();
  });

  it('tolerate broken files', async () => {
    const broken = { 'refs/heads/empty': '', 'refs/heads/junk': 'junk', 'packed-refs': '\0\n^x\n' };
    for (const [name, text] of Object.entries(broken)) {
      await mkdir(dirname(join(repository.path, name)), { recursive: true });
      await writeFile(join(repository.path, name), text);
    }
    expect(await repository.refs.get('refs/heads/empty')).toBeNull();
    expect(await repository.refs.get('refs/heads/junk')).toBeNull();
    expect(await repository.refs.list('refs/heads/')).toHaveLength(1);
  });

  it('set HEAD to a branch, and refuse malformed names', async () => {
    expect(await repository.refs.head()).toBe('master');
    await repository.refs.setHead('feature/x');
    expect(await repository.refs.head()).toBe('feature/x');
    for (const name of ['-d', 'a..b', 'HEAD', '', 'x\ny']) {
      await expect(repository.refs.setHead(name)).rejects.toThrow(InvalidArgumentError);
    }
    await writeFile(join(repository.path, 'HEAD'), `${oid(0)}\n`);
    expect(await repository.refs.head()).toBeNull();
  });

  it('are written all together or not at all', async () => {
    const stale = { ref: 'refs/heads/master', oldOid: oid(1), newOid: oid(2) };
    await expect(
      repository.refs.update([create('refs/heads/new', oid(1)), stale]),
    ).rejects.toMatchObject({ code: 'stale-ref', ref: 'refs/heads/master' });
    expect(await repository.refs.get('refs/heads/new')).toBeNull();
    await repository.refs.update([
      create('refs/heads/new', oid(1)),
      { ref: 'refs/heads/master', oldOid: oid(0), newOid: oid(2) },
    ]);
    await repository.refs.update([{ ref: 'refs/heads/new', oldOid: oid(1), newOid: ZERO_OID }]);
    expect(await repository.refs.list('refs/heads/')).toEqual([
      { name: 'refs/heads/master', target: oid(2) },
    ]);
  });

  it('report why they could not be written', async () => {
    const { refs } = repository;
    const existing = create('refs/heads/master', oid(1));
    await expect(refs.update([existing])).rejects.toThrow(StaleRefError);
    const gone = { ref: 'refs/heads/gone', oldOid: oid(1), newOid: oid(0) };
    await expect(refs.update([gone])).rejects.toThrow(StaleRefError);
    await expect(refs.update([{ ...gone, newOid: ZERO_OID }])).rejects.toThrow(StaleRefError);
    const below = create('refs/heads/master/x', oid(1));
    await expect(refs.update([below])).rejects.toThrow(RefConflictError);
    const both = [create('refs/heads/a', oid(1)), create('refs/heads/a/b', oid(1))];
    await expect(refs.update(both)).rejects.toThrow(RefConflictError);
    const odd = create('refs/heads/a..b', oid(1));
    await expect(refs.update([odd])).rejects.toThrow(InvalidArgumentError);
    const absent = create('refs/heads/absent', '1'.repeat(40));
    await expect(refs.update([absent])).rejects.toMatchObject({ code: 'process' });
    await refs.update([]);
    await expect(workshop.git.repository('/nonexistent').refs.update([existing])).rejects.toThrow(
      RepositoryMissingError,
    );
  });

  it('are written beside any number of refused requests', async () => {
    const { refs } = repository;
    const names = ['a', 'b', 'c'].map((name) => `refs/heads/${name}`);
    const stale = create('refs/heads/master', oid(1));
    const results = await Promise.allSettled(
      names.flatMap((name) => [refs.update([stale]), refs.update([create(name, oid(1))])]),
    );
    expect(results.map(({ status }) => status)).toEqual(
      names.flatMap(() => ['rejected', 'fulfilled']),
    );
    expect(await refs.getAll(names)).toEqual(names.map(() => oid(1)));
  });

  it('have one winner for concurrent writes', async () => {
    const other = (await workshop.anotherRoom()).repository(repository.path);
    for (let round = 0; round < 10; round += 1) {
      const oldOid = (await repository.refs.get('refs/heads/master')) ?? '';
      const change = { ref: 'refs/heads/master', oldOid };
      const [next, nextOther] = oids.filter((candidate) => candidate !== oldOid);
      const results = await Promise.allSettled([
        repository.refs.update([{ ...change, newOid: next ?? '' }]),
        other.refs.update([{ ...change, newOid: nextOther ?? '' }]),
      ]);
      const lost = results.filter((result) => result.status === 'rejected');
      expect(lost).toHaveLength(1);
      expect(lost[0]?.reason).toBeInstanceOf(StaleRefError);
    }
  });

  it('have no reflog', async () => {
    await repository.refs.update([create('refs/heads/new', oid(1))]);
    await expect(readFile(join(repository.path, 'logs/refs/heads/new'))).rejects.toThrow('ENOENT');
  });
});

describe('the parsers of ref files', () => {
  it('read back any well-formed packed-refs', () => {
    const hex = fc.stringMatching(/^[0-9a-f]{40}$/);
    const name = fc.stringMatching(/^refs\/heads\/[a-zé/.-]{1,20}$/);
    const entries = fc.array(fc.tuple(name, hex, fc.option(hex)), { maxLength: 20 });
    fc.assert(
      fc.property(entries, (list) => {
        const unique = [...new Map(list.map((entry) => [entry[0], entry])).values()];
        const lines = unique.map(([ref, oid, peeled]) =>
          peeled === null ? `${oid} ${ref}\n` : `${oid} ${ref}\n^${peeled}\n`,
        );
        const parsed = parsePackedRefs(`# pack-refs with: peeled fully-peeled\n${lines.join('')}`);
        expect([...parsed.targets]).toEqual(unique.map(([ref, oid]) => [ref, oid]));
        const peeled = unique.filter((entry) => entry[2] !== null);
        expect([...parsed.peeled]).toEqual(peeled.map(([ref, , oid]) => [ref, oid]));
      }),
    );
  });

  it('never throw on arbitrary input', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[ref: \n^0a/]*$/));
    fc.assert(
      fc.property(text, (given) => {
        parsePackedRefs(given);
        const loose = parseLooseRef(given);
        expect(loose === null || 'oid' in loose || 'symbolic' in loose).toBe(true);
      }),
    );
  });
});
