import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { GitBusyError, type Repository } from '../../../src/git/index.js';
import { HttpHost } from './support/http-host.js';
import { git, line, Workshop } from './support/workshop.js';

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

  beforeEach(async () => {
    repository = await workshop.repository(line(50));
  });

  it('packs what lies about and keeps everything, also what nothing refers to', async () => {
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

  it('is content with an empty repository', async () => {
    const empty = await workshop.emptyRepository();
    const nothing = { packsBefore: 0, packsAfter: 0, looseBefore: 0, looseAfter: 0 };
    expect(await empty.housekeeping()).toEqual(nothing);
  });

  it('clears away what was killed long ago, and leaves what is young', async () => {
    const old = new Date(Date.now() - 30 * 60 * 60_000);
    const place = async (name: string, time: Date) => {
      const path = join(repository.path, name);
      await mkdir(join(path, '..'), { recursive: true });
      await writeFile(path, '');
      await utimes(path, time, time);
      await utimes(join(path, '..'), time, time);
    };
    await place('objects/tmp_objdir-incoming-old/pack/tmp_pack_x', old);
    await utimes(join(repository.path, 'objects/tmp_objdir-incoming-old'), old, old);
    await place('objects/tmp_objdir-incoming-new/pack/tmp_pack_x', new Date());
    await place('objects/pack/tmp_pack_old', old);
    await place('objects/pack/tmp_pack_new', new Date());
    await place('packed-refs.lock', old);
    await place('refs/heads/x/y.lock', old);
    await repository.housekeeping();
    const objects = await readdir(join(repository.path, 'objects'));
    expect(objects).toContain('tmp_objdir-incoming-new');
    expect(objects).not.toContain('tmp_objdir-incoming-old');
    const packs = await readdir(join(repository.path, 'objects/pack'));
    expect(packs).toContain('tmp_pack_new');
    expect(packs).not.toContain('tmp_pack_old');
    for (const lock of ['packed-refs.lock', 'refs/heads/x/y.lock']) {
      await expect(stat(join(repository.path, lock))).rejects.toThrow('ENOENT');
    }
  });

  it('runs once at a time, and takes over from the dead', async () => {
    const lock = join(repository.path, 'housekeeping.lock');
    await writeFile(lock, `${process.pid} ${hostname()}\n`);
    await expect(repository.housekeeping()).rejects.toThrow(GitBusyError);
    await writeFile(lock, `99999999 ${hostname()}\n`);
    await repository.housekeeping();
    await expect(stat(lock)).rejects.toThrow('ENOENT');
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

  it('stops on demand and can be repeated', async () => {
    const controller = new AbortController();
    controller.abort();
    await expect(repository.housekeeping({ signal: controller.signal })).rejects.toThrow();
    await repository.housekeeping();
    await run('fsck', '--strict');
  });

  it('harms neither pushes nor clones nor readers', async () => {
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
