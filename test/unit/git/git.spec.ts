import { access, mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  Git,
  GitBusyError,
  GitUnavailableError,
  InvalidArgumentError,
  NewObjects,
  RepositoryExistsError,
  RepositoryMissingError,
} from '../../../src/git/index.js';
import { writeLoose } from '../../../src/git/objects/incoming.js';
import { holdHousekeepingLock } from '../../../src/git/storage/housekeeping-lock.js';
import { ensureAttributes } from '../../../src/git/storage/repository-folder.js';
import { git, Workshop } from './support/workshop.js';

describe('the Git runtime', () => {
  let workshop: Workshop;

  beforeAll(async () => {
    workshop = await Workshop.open();
  });

  afterAll(() => workshop.close());

  it('creates repositories that git accepts, without starting it', async () => {
    const path = join(workshop.path('deep'), 'er', 'repository');
    const spawned = workshop.git.spawnCount;
    await workshop.git.createRepository(path, { defaultBranch: 'main' });
    expect(workshop.git.spawnCount).toBe(spawned);
    const repository = workshop.git.repository(path);
    expect(await repository.exists()).toBe(true);
    expect(await repository.isEmpty()).toBe(true);
    expect(await repository.refs.head()).toBe('main');
    expect(await git(['rev-parse', '--is-bare-repository'], { cwd: path })).toBe('true');
    expect(await git(['fsck', '--strict'], { cwd: path })).toBe('');
    expect(await readdir(join(path, '..'))).toEqual(['repository']);
  });

  it('never overwrites existing data', async () => {
    const path = workshop.path('taken');
    await writeFile(path, 'a file');
    await expect(workshop.git.createRepository(path)).rejects.toThrow(RepositoryExistsError);
    const raced = workshop.path('raced');
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, () => workshop.git.createRepository(raced)),
    );
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    await expect(
      workshop.git.createRepository(workshop.path('odd'), { defaultBranch: 'a..b' }),
    ).rejects.toThrow(InvalidArgumentError);
  });

  it('removes repositories, also missing ones', async () => {
    const repository = await workshop.emptyRepository();
    await workshop.git.removeRepository(repository.path);
    await workshop.git.removeRepository(repository.path);
    expect(await repository.exists()).toBe(false);
  });

  it('keeps a repository during housekeeping', async () => {
    const { path } = await workshop.emptyRepository();
    const lock = await holdHousekeepingLock(path);
    await expect(workshop.git.removeRepository(path)).rejects.toThrow(GitBusyError);
    await access(path);
    await lock.release();
    await workshop.git.removeRepository(path);
    await expect(access(path)).rejects.toThrow('ENOENT');
  });

  it('writes nothing to a removed repository', async () => {
    const { path } = await workshop.emptyRepository();
    await workshop.git.removeRepository(path);
    await expect(holdHousekeepingLock(path)).rejects.toThrow(RepositoryMissingError);
    await expect(ensureAttributes(path)).rejects.toThrow(RepositoryMissingError);
    const objects = new NewObjects();
    objects.add('blob', Buffer.from('text'));
    await expect(writeLoose(join(path, 'objects', 'incoming-x'), objects)).rejects.toThrow(
      'ENOENT',
    );
    await expect(access(path)).rejects.toThrow('ENOENT');
  });

  it('removes incomplete repositories', async () => {
    const folder = workshop.path('repositories');
    const id = '00000000-0000-4000-8000-000000000000';
    const old = new Date(0);
    for (const name of [`a.creating-${id}`, `b.removing-${id}`, 'c.creating-x', 'd']) {
      await mkdir(join(folder, name), { recursive: true });
      await utimes(join(folder, name), old, old);
    }
    expect(await workshop.git.removeLeftovers(folder)).toBe(0);
    expect(await workshop.git.removeLeftovers(folder, 0)).toBe(2);
    expect(await readdir(folder)).toEqual(['c.creating-x', 'd']);
  });

  it('reports a missing or old git', async () => {
    const runtimeDir = workshop.path('runtime');
    const missing = Git.open({ runtimeDir, executable: '/nonexistent/git' });
    await expect(missing).rejects.toThrow(GitUnavailableError);
    const old = workshop.path('old-git');
    await writeFile(old, '#!/bin/sh\necho git version 2.37.9\n', { mode: 0o755 });
    const error = await Git.open({ runtimeDir, executable: old }).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 'unavailable', version: '2.37.9' });
  });

  it('installs its executable hook', async () => {
    const { mode } = await stat(join(workshop.folder, 'runtime/hooks/pre-receive'));
    expect(mode & 0o777).toBe(0o700);
    expect(await readdir(join(workshop.folder, 'runtime/hooks'))).toEqual(['pre-receive']);
  });

  it('ignores configuration of the user and the system', async () => {
    const seen = workshop.path('environment');
    const spy = workshop.path('spy');
    const script = `#!/bin/sh\nenv > '${seen}'\necho git version 2.39.0\n`;
    await writeFile(spy, script, { mode: 0o755 });
    const before = process.env;
    process.env = { ...before, GIT_DIR: '/evil', GIT_TRACE: '1', LD_PRELOAD_X: 'y', HOME: '/root' };
    try {
      const runtime = await Git.open({ runtimeDir: workshop.path('runtime'), executable: spy });
      await runtime.close();
    } finally {
      process.env = before;
    }
    const names = (await readFile(seen, 'utf8')).split('\n').map((text) => text.split('=')[0]);
    const unknown = names.filter((name) => !/^GIT_CONFIG_(KEY|VALUE)_\d+$/.test(name ?? ''));
    expect(unknown.filter((name) => /^(GIT_DIR|GIT_TRACE|LD_)/.test(name ?? ''))).toEqual([]);
    expect(unknown).toContain('GIT_CONFIG_NOSYSTEM');
  });
});
