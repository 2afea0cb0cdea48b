import { appendFile, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findRepositories } from '../../../src/git/index.js';
import { git, line, Workshop } from './support/workshop.js';

describe('finding repositories below a folder', () => {
  let root: string;
  let outside: string;
  const at = (...parts: string[]) => path.join(root, ...parts);

  beforeEach(async () => {
    const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'trellis-find-')));
    [root, outside] = [path.join(folder, 'root'), path.join(folder, 'outside')];
    await git(['init', '-q', '--bare', outside]);
    await mkdir(root);
  });
  afterEach(() => rm(path.dirname(root), { recursive: true, force: true }));

  const bare = (...parts: string[]) => git(['init', '-q', '--bare', at(...parts)]);

  it('finds bare repositories and clones by path, and does not descend into them', async () => {
    await bare('team', 'b.git');
    await bare('team', 'deeper', 'a');
    await git(['init', '-q', at('app')]);
    await bare('app', 'vendor', 'nested.git');
    await mkdir(at('empty', 'objects'), { recursive: true });
    expect(await findRepositories(root)).toEqual([
      { path: 'app', folder: at('app', '.git'), refusal: null },
      { path: path.join('team', 'b.git'), folder: at('team', 'b.git'), refusal: null },
      { path: path.join('team', 'deeper', 'a'), folder: at('team', 'deeper', 'a'), refusal: null },
    ]);
  });

  it.each<[string, string, (repository: string) => Promise<unknown>]>([
    [
      'a link out of the folder',
      'has a symbolic link out of the directory',
      (repository) => symlink(path.join(outside, 'HEAD'), path.join(repository, 'refs', 'x')),
    ],
    [
      'objects of a repository outside',
      'takes objects from outside the directory',
      (repository) => borrow(repository, path.join(outside, 'objects')),
    ],
    [
      'objects that are named in a way that is not understood',
      'takes objects from outside the directory',
      (repository) => borrow(repository, '"../../other.git/objects"'),
    ],
    [
      'objects of one that takes them from outside',
      'takes objects from outside the directory',
      async (repository) => {
        await borrow(repository, '../../other.git/objects');
        await borrow(at('other.git'), path.join(outside, 'objects'));
      },
    ],
    [
      'the folder of a work tree',
      'is a work tree of another repository',
      (repository) => writeFile(path.join(repository, 'commondir'), '..\n'),
    ],
  ])('refuses %s', async (_, refusal, spoil) => {
    await bare('x.git');
    await bare('other.git');
    await spoil(at('x.git'));
    const found = await findRepositories(root);
    expect(found.find((one) => one.path === 'x.git')).toMatchObject({ refusal });
  });

  const borrow = (repository: string, from: string) =>
    appendFile(path.join(repository, 'objects', 'info', 'alternates'), `${from}\n`);

  it('accepts repositories that share objects and files within the folder', async () => {
    await bare('x.git');
    await bare('other.git');
    await borrow(at('x.git'), '../../other.git/objects');
    await symlink('../other.git/config', at('x.git', 'other-config'));
    expect(await findRepositories(root)).toMatchObject([{ refusal: null }, { refusal: null }]);
  });

  it('reports links to folders and work trees, and does not follow them', async () => {
    await symlink(outside, at('link'));
    await symlink(path.join(outside, 'HEAD'), at('file'));
    await mkdir(at('tree'));
    await writeFile(at('tree', '.git'), `gitdir: ${outside}\n`);
    expect(await findRepositories(root)).toEqual([
      { path: 'link', folder: at('link'), refusal: 'is a symbolic link' },
      { path: 'tree', folder: at('tree'), refusal: 'is a work tree of another repository' },
    ]);
  });
});

describe('fetching from a folder', () => {
  let workshop: Workshop;
  beforeAll(async () => {
    workshop = await Workshop.open();
  });
  afterAll(() => workshop.close());

  it('copies branches, tags and HEAD, and does not change the folder', async () => {
    const source = await workshop.repository(line(5));
    await git(['tag', 'v1', 'master~1'], { cwd: source.path });
    await git(['update-ref', 'refs/merge-requests/1/head', 'master'], { cwd: source.path });
    const clone = await workshop.clone(source.path);
    const before = await git(['status', '--porcelain=v2', '--branch'], { cwd: clone });
    const target = await workshop.emptyRepository();
    await target.fetchFrom({ folder: path.join(clone, '.git') });
    const refs = await git(['for-each-ref', '--format=%(refname)'], { cwd: target.path });
    expect(refs.split('\n')).toEqual(['refs/heads/master', 'refs/tags/v1']);
    await git(['fsck', '--strict'], { cwd: target.path });
    expect(await git(['config', '--list', '--local'], { cwd: target.path })).not.toContain(clone);
    expect(await git(['status', '--porcelain=v2', '--branch'], { cwd: clone })).toBe(before);
  });

  it('refuses one with malformed objects, and one above the size limit', async () => {
    const source = await workshop.repository(line(2));
    const [target, other] = [await workshop.emptyRepository(), await workshop.emptyRepository()];
    const limits = { commit: 1, tag: 1, tree: 1, blob: 1, total: 1 };
    await expect(
      target.fetchFrom({ folder: source.path }, { objectLimits: limits }),
    ).rejects.toThrow('too large');
    const malformed = 'tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor x\n\nx';
    const oid = await git(['hash-object', '-t', 'commit', '-w', '--literally', '--stdin'], {
      cwd: source.path,
      input: malformed,
    });
    await writeFile(path.join(source.path, 'refs', 'heads', 'bad'), `${oid}\n`);
    await expect(other.fetchFrom({ folder: source.path })).rejects.toThrow('malformed objects');
    expect(await other.isEmpty()).toBe(true);
  });

  it('runs no program of the settings of the folder', async () => {
    const source = await workshop.repository(line(2));
    const mark = workshop.path('mark');
    for (const key of ['uploadpack.packObjectsHook', 'core.fsmonitor', 'core.sshCommand']) {
      await git(['config', key, `touch ${mark}; false`], { cwd: source.path });
    }
    await git(['config', 'core.hooksPath', '/tmp'], { cwd: source.path });
    const target = await workshop.emptyRepository();
    await target.fetchFrom({ folder: source.path });
    expect(await target.isEmpty()).toBe(false);
    await expect(realpath(mark)).rejects.toThrow('ENOENT');
  });
});
