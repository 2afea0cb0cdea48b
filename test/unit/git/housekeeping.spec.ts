import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, link, mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  FLUSH_PACKET,
  GitBusyError,
  pktLine,
  type Repository,
  ZERO_OID,
} from '../../../src/git/index.js';
import { holdHousekeepingLock } from '../../../src/git/storage/housekeeping-lock.js';
import { eventually } from '../queue/support/eventually.js';
import { HttpHost } from './support/http-host.js';
import { packOf, push, pushBody } from './support/raw-push.js';
import { PausedPacking } from './support/paused-packing.js';
import { git, importStream, line, Workshop } from './support/workshop.js';

describe('housekeeping', () => {
  let workshop: Workshop;
  let repository: Repository;
  const run = (...args: string[]) => git(args, { cwd: repository.path });

  beforeAll(async () => {
    workshop = await Workshop.open();
  });

  afterAll(() => workshop.close());

  async function addLooseCommits(count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      const tree = await run('write-tree');
      const commit = await run('commit-tree', tree, '-m', `loose ${n}`, '-p', 'master');
      await run('update-ref', 'refs/heads/master', commit);
    }
  }

  /** Objects that housekeeping has to pack; enough to write packs of before anew. */
  async function addBranch(name: string): Promise<void> {
    const commits = Array.from({ length: 60 }, (_, n) => ({
      branch: name,
      message: `${name} ${n}`,
      files: { 'file.txt': `${name} ${n}` },
    }));
    const input = importStream(commits);
    await git(['fast-import', '--quiet'], { cwd: repository.path, input });
  }

  beforeEach(async () => {
    repository = await workshop.repository(line(50));
  });

  it('packs loose objects and keeps everything, also unreachable objects', async () => {
    await addLooseCommits(5);
    const orphan = await git(['hash-object', '-w', '--stdin'], {
      cwd: repository.path,
      input: 'orphan',
    });
    const everything = await run('cat-file', '--batch-all-objects', '--batch-check');
    const start = (await repository.resolveCommit('master')) ?? '';
    await repository.objects.info(start);

    const result = await repository.housekeeping();
    expect(result.looseBefore).toBeGreaterThan(5);
    // What is small beside the first pack makes a second one.
    expect(result).toMatchObject({ packsAfter: 2, looseAfter: 0 });
    expect(await run('cat-file', '--batch-all-objects', '--batch-check')).toBe(everything);
    expect((await repository.objects.read(orphan))?.content.toString()).toBe('orphan');
    expect(await readdir(join(repository.path, 'objects/info'))).toContain('commit-graphs');
    const packs = await readdir(join(repository.path, 'objects/pack'));
    expect(packs.some((name) => name.endsWith('.bitmap'))).toBe(true);
    await run('fsck', '--strict');
    await run('commit-graph', 'verify');
    await run('multi-pack-index', 'verify');
    expect(await repository.refs.get('refs/heads/master')).toBe(start);

    const again = await repository.housekeeping();
    expect(again).toEqual({ packsBefore: 2, packsAfter: 2, looseBefore: 0, looseAfter: 0 });
  });

  it('accepts an empty repository', async () => {
    const empty = await workshop.emptyRepository();
    const nothing = { packsBefore: 0, packsAfter: 0, looseBefore: 0, looseAfter: 0 };
    expect(await empty.housekeeping()).toEqual(nothing);
  });

  it('removes old files of killed processes, and keeps recent ones', async () => {
    const old = new Date(Date.now() - 30 * 60 * 60_000);
    const location = async (name: string, time: Date) => {
      const path = join(repository.path, name);
      await mkdir(join(path, '..'), { recursive: true });
      await writeFile(path, '');
      await utimes(path, time, time);
      await utimes(join(path, '..'), time, time);
    };
    await location('objects/tmp_objdir-incoming-old/pack/tmp_pack_x', old);
    await utimes(join(repository.path, 'objects/tmp_objdir-incoming-old'), old, old);
    await location('objects/tmp_objdir-incoming-new/pack/tmp_pack_x', new Date());
    await location('objects/pack/tmp_pack_old', old);
    await location('objects/pack/tmp_pack_new', new Date());
    await location('packed-refs.lock', old);
    await location('refs/heads/x/y.lock', old);
    await location('packed-refs.new', old);
    await location('config.lock', new Date());
    await location('objects/info/commit-graphs/tmp_graph_old', old);
    await repository.housekeeping();
    const objects = await readdir(join(repository.path, 'objects'));
    expect(objects).toContain('tmp_objdir-incoming-new');
    expect(objects).not.toContain('tmp_objdir-incoming-old');
    const packs = await readdir(join(repository.path, 'objects/pack'));
    expect(packs).toContain('tmp_pack_new');
    expect(packs).not.toContain('tmp_pack_old');
    const graphs = join(repository.path, 'objects/info/commit-graphs');
    expect(await readdir(graphs)).not.toContain('tmp_graph_old');
    await stat(join(repository.path, 'config.lock'));
    for (const lock of ['packed-refs.lock', 'packed-refs.new', 'refs/heads/x/y.lock']) {
      await expect(stat(join(repository.path, lock))).rejects.toThrow('ENOENT');
    }
    // Left where it was, the new file would have kept git from packing refs for ever.
    expect(await readdir(join(repository.path, 'refs/heads'))).not.toContain('master');
    await run('update-ref', '-d', 'refs/heads/master');
  });

  it('keeps packs with a .keep file, except those of killed pushes', async () => {
    const [pack = ''] = (await readdir(join(repository.path, 'objects/pack'))).filter((name) =>
      name.endsWith('.pack'),
    );
    const keep = join(repository.path, 'objects/pack', pack.replace(/pack$/, 'keep'));
    const old = new Date(Date.now() - 30 * 60 * 60_000);
    const packs = () => readdir(join(repository.path, 'objects/pack'));
    let branches = 0;
    const tidied = async (text: string, time: Date): Promise<{ kept: boolean; mark: boolean }> => {
      await writeFile(keep, text);
      await utimes(keep, time, time);
      await addBranch(`branch-${(branches += 1)}`);
      await repository.housekeeping();
      const names = await packs();
      return { kept: names.includes(pack), mark: names.some((name) => name.endsWith('.keep')) };
    };
    const alive = `receive-pack ${process.pid} on ${hostname()}\n`;
    const dead = `receive-pack 99999999 on ${hostname()}\n`;
    expect(await tidied(alive, old)).toEqual({ kept: true, mark: true });
    expect(await tidied(dead, new Date())).toEqual({ kept: true, mark: true });
    expect(await tidied("an operator's own\n", old)).toEqual({ kept: true, mark: true });
    expect(await tidied('fetch-pack 1 on elsewhere\n', new Date())).toEqual({
      kept: true,
      mark: true,
    });
    expect((await tidied(dead, old)).mark).toBe(false);
    await addBranch('last');
    await repository.housekeeping();
    expect(await packs()).not.toContain(pack);
    await run('fsck', '--strict');
  });

  it('keeps the objects of a pack that is pushed again while it is packed', async () => {
    const source = await workshop.emptyRepository();
    const commits = ['again', 'once'].map((branch) => ({ branch, files: { file: branch } }));
    const input = importStream(commits);
    await git(['fast-import', '--quiet'], { cwd: source.path, input });
    const pushTo = async (branch: string, from: string): Promise<void> => {
      const newOid = await git(['rev-parse', from], { cwd: source.path });
      const update = { ref: `refs/heads/${branch}`, oldOid: ZERO_OID, newOid };
      const body = pushBody([update], 'report-status', await packOf(source.path, newOid));
      const rules = { gate: async () => ({ accept: true }) as const, settle: async () => ({}) };
      const { output } = await push(repository, body, rules);
      expect(output.toString()).toContain(`ok refs/heads/${branch}`);
    };
    await pushTo('once', 'once');
    await pushTo('again', 'again');
    const paused = await PausedPacking.create(workshop);
    const housekeeping = paused.git.repository(repository.path).housekeeping();
    await paused.untilChosen();
    await paused.resumeDuringPush();
    await pushTo('retried', 'again');
    await housekeeping;
    await run('fsck', '--strict');
  });

  it('breaks no running clone, and no process with an open pack', async () => {
    const blobs: string[] = [];
    for (let made = 0; made < 4; made += 1) {
      const blob = await git(['hash-object', '-w', '--stdin'], {
        cwd: repository.path,
        input: randomBytes(1024 * 1024),
      });
      const tree = await git(['mktree'], {
        cwd: repository.path,
        input: `100644 blob ${blob}\tlarge-${made}\n`,
      });
      const commit = await run('commit-tree', tree, '-p', 'master', '-m', `large ${made}`);
      await run('update-ref', 'refs/heads/master', commit);
      await run('repack', '-d', '-q');
      blobs.push(blob);
    }
    const packs = async () =>
      (await readdir(join(repository.path, 'objects/pack'))).filter((name) => /pack$/.test(name));
    const before = await packs();
    const tip = (await repository.resolveCommit('master')) ?? '';
    const parent = await run('rev-parse', 'master~1');
    // Both begin their processes.
    await repository.objects.read(blobs[0] ?? '');
    await repository.diff(parent, tip);

    const input = Readable.from([
      Buffer.concat([pktLine(`want ${tip}\n`), FLUSH_PACKET, pktLine('done\n')]),
    ]);
    const output = new PassThrough();
    const cloning = repository.uploadPack({ stateless: true, input, output });
    await once(output, 'readable');
    await repository.housekeeping();
    const after = await packs();
    expect(before.length).toBeGreaterThan(3);
    // The pack of the whole history alone is too large to be written anew.
    expect(before.filter((name) => after.includes(name))).toHaveLength(1);

    for (const blob of blobs) {
      expect((await repository.objects.read(blob))?.content.length).toBe(1024 * 1024);
    }
    for (const generation of [2, 3]) {
      const oid = await run('rev-parse', `master~${generation}`);
      expect((await repository.diff(oid, tip)).entries).not.toEqual([]);
    }
    const received = buffer(output);
    void cloning.then(() => output.end());
    const bytes = (await received).subarray(pktLine('NAK\n').length);
    expect((await cloning).exitCode).toBe(0);
    const target = await workshop.emptyRepository();
    await git(['index-pack', '--stdin', '--strict'], { cwd: target.path, input: bytes });
    await git(['rev-list', '--objects', tip], { cwd: target.path });
  });

  it('runs once at a time, and takes over from a dead process', async () => {
    const lock = join(repository.path, 'housekeeping.lock');
    await writeFile(lock, `${process.ppid} ${hostname()}\n`);
    await expect(repository.housekeeping()).rejects.toThrow(GitBusyError);
    // A container that was started again has the process id of the one before.
    for (const dead of [99_999_999, process.pid]) {
      await writeFile(lock, `${dead} ${hostname()}\n`);
      await repository.housekeeping();
      await expect(stat(lock)).rejects.toThrow('ENOENT');
    }
  });

  it('waits for the git processes of a killed run', async () => {
    await addBranch('small');
    const paused = await PausedPacking.create(workshop);
    const controller = new AbortController();
    const { signal } = controller;
    const housekeeping = paused.git.repository(repository.path).housekeeping({ signal });
    await paused.untilChosen();
    const lock = join(repository.path, 'housekeeping.lock');
    const killed = (await readFile(lock, 'utf8')).replace(String(process.pid), '99999999');
    await writeFile(lock, killed);
    await expect(repository.housekeeping()).rejects.toThrow(GitBusyError);
    controller.abort();
    await expect(housekeeping).rejects.toThrow();
    await writeFile(lock, killed);
    await eventually(async () => {
      await repository.housekeeping();
    });
    await run('fsck', '--strict');
    await run('multi-pack-index', 'verify');
  });

  it('takes over from another machine whose owner has lost its lease, with the locks of its git', async () => {
    const over = new Set<string>();
    const lockOwners = {
      machine: 'here',
      current: () => 'live',
      isOver: (name: string) => Promise.resolve(over.has(name)),
    };
    const leased = await workshop.anotherRoom({ lockOwners });
    const own = leased.repository(repository.path);
    const lock = join(repository.path, 'housekeeping.lock');
    const elsewhere = `${process.pid} ${hostname()} token elsewhere dead\n`;
    await writeFile(lock, elsewhere);
    // The process id says nothing about a machine with the same name.
    await expect(own.housekeeping()).rejects.toThrow(GitBusyError);
    await writeFile(join(repository.path, 'packed-refs.lock'), '');
    await own.refs.removeStaleLocks([]);
    expect(await readdir(repository.path)).toContain('packed-refs.lock');
    over.add('dead');
    await own.refs.removeStaleLocks([]);
    expect(await readdir(repository.path)).not.toContain('packed-refs.lock');
    await own.housekeeping();
    await expect(stat(lock)).rejects.toThrow('ENOENT');
    await writeFile(lock, elsewhere.replace('dead', ''));
    await expect(own.housekeeping()).rejects.toThrow(GitBusyError);
  });

  it('gives the lock of a dead process to one of eight contenders', async () => {
    const lock = join(repository.path, 'housekeeping.lock');
    for (let round = 0; round < 20; round += 1) {
      await writeFile(lock, `99999999 ${hostname()}\n`);
      const locks = await Promise.allSettled(
        Array.from({ length: 8 }, () => holdHousekeepingLock(repository.path)),
      );
      const held = locks.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      expect(held).toHaveLength(1);
      await Promise.all(held.map((each) => each.release()));
    }
    await repository.housekeeping();
  });

  it('takes over after one that was killed while it took over', async () => {
    const lock = join(repository.path, 'housekeeping.lock');
    await writeFile(lock, `99999999 ${hostname()}\n`);
    await link(lock, join(repository.path, 'housekeeping.claim'));
    await expect(repository.housekeeping()).rejects.toThrow(GitBusyError);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 2 * 60_000);
    try {
      // Removes the claim, and the next one takes over.
      await expect(repository.housekeeping()).rejects.toThrow(GitBusyError);
      await repository.housekeeping();
    } finally {
      clock.mockRestore();
    }
    expect(await readdir(repository.path)).not.toContain('housekeeping.claim');
  });

  it('removes a multi-pack index that names a missing pack', async () => {
    await addBranch('small');
    await repository.housekeeping();
    const path = join(repository.path, 'objects/pack/multi-pack-index');
    const index = (await readFile(path)).toString('latin1');
    await repository.removeLeftovers();
    expect((await readFile(path)).toString('latin1')).toBe(index);
    const named = /pack-[0-9a-f]{40}/.exec(index)?.[0] ?? '';
    const other = named.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    await chmod(path, 0o644);
    await writeFile(path, index.replace(named, other), 'latin1');
    await repository.removeLeftovers();
    await expect(stat(path)).rejects.toThrow('ENOENT');
    await repository.housekeeping();
    await run('multi-pack-index', 'verify');
    await run('fsck', '--strict');
  });

  it('takes over from one that died before it wrote its name', async () => {
    const lock = join(repository.path, 'housekeeping.lock');
    await writeFile(lock, '');
    await expect(repository.housekeeping()).rejects.toThrow(GitBusyError);
    const before = new Date(Date.now() - 2 * 60_000);
    await utimes(lock, before, before);
    await repository.housekeeping();
    await expect(stat(lock)).rejects.toThrow('ENOENT');
  });

  it('stops on abort and can be repeated', async () => {
    const controller = new AbortController();
    controller.abort();
    await expect(repository.housekeeping({ signal: controller.signal })).rejects.toThrow();
    await repository.housekeeping();
    await run('fsck', '--strict');
  });

  it('harms neither pushes nor clones nor reads', async () => {
    const host = await HttpHost.open(repository);
    const clone = await workshop.clone(host.url);
    const start = (await repository.resolveCommit('master')) ?? '';
    const work = { busy: true };
    const tidying = (async () => {
      while (work.busy) await repository.housekeeping();
    })();
    const reading = (async () => {
      while (work.busy) {
        const { oids } = await workshop.git
          .repository(repository.path)
          .history({ start, skip: 0, limit: 50 });
        for (const oid of oids) expect(await repository.objects.info(oid)).not.toBeNull();
      }
    })();
    try {
      for (let n = 0; n < 5; n += 1) {
        await git(['commit', '-q', '--allow-empty', '-m', `push ${n}`], { cwd: clone });
        await git(['push', '-q', 'origin', 'HEAD'], { cwd: clone });
        const again = await workshop.clone(host.url);
        expect(await git(['rev-parse', 'HEAD'], { cwd: again })).toBe(
          await git(['rev-parse', 'HEAD'], { cwd: clone }),
        );
      }
    } finally {
      work.busy = false;
      await Promise.all([tidying, reading]);
      await host.close();
    }
    await run('fsck', '--strict');
    expect(host.errors).toEqual([]);
  });
});
