import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  adviceFor,
  describeFileSystem,
  type FileSystem,
  findFileSystems,
} from '../../../src/platform/monitoring/index.js';

const NFS = 'rw,vers=4.2,rsize=131072,hard,proto=tcp';
const GLUSTER = 'rw,user_id=0,group_id=0,default_permissions,allow_other,max_read=131072';

describe('the file systems under the storages', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'trellis-mounts-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** Finds the file system of a storage by a table as the kernel writes it. */
  async function find(root: string, mounts: readonly string[]): Promise<FileSystem | undefined> {
    const table = path.join(folder, 'mountinfo');
    const lines = ['22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw', ...mounts];
    await writeFile(table, `${lines.join('\n')}\n`);
    const storages = new Map([['far', root]]);
    const [dataDir, storage] = await findFileSystems({ dataDir: '/', storages }, table);
    expect(dataDir).toMatchObject({ name: 'data-dir', type: 'ext4', isLocal: true, lacking: [] });
    return storage;
  }
  const mount = (point: string, type: string, source = 'server:/export', options = 'rw') =>
    `60 22 0:50 / ${point} rw,relatime shared:30 - ${type} ${source} ${options}`;

  it.each([
    ['ext4', '/srv', '/srv'],
    ['xfs', '/srv/far', '/srv/far/below/not/there'],
    ['fuseblk', '/srv', '/srv/far'],
    ['zfs', '/srv', '/srv'],
  ])('include %s as local', async (type, point, root) => {
    const found = await find(root, [mount(point, type, '/dev/sdb')]);
    expect(found).toMatchObject({ type, mountPoint: point, isLocal: true });
    expect(adviceFor(found as FileSystem)).toBeUndefined();
  });

  it.each(['nfs', 'nfs4', 'cifs', 'ceph', 'fuse.ceph-fuse', 'fuse.sshfs', 'fuse', 'lustre', '9p'])(
    'include %s as remote, with the page about its options',
    async (type) => {
      const found = (await find('/srv/far', [mount('/srv', type)])) as FileSystem;
      expect(found).toMatchObject({ name: 'storage far', folder: '/srv/far', isLocal: false });
      expect(describeFileSystem(found)).toBe(`${type}, server:/export at /srv`);
      expect(adviceFor(found)).toContain('docs/scaling.md#file-systems');
    },
  );

  it.each([
    [NFS, ['lookupcache=positive']],
    [`${NFS},lookupcache=pos`, []],
    [`${NFS},lookupcache=none`, []],
    ['rw,soft,lookupcache=pos', ['hard']],
    ['rw,softerr', ['lookupcache=positive', 'hard']],
  ])('lack options of NFS with %s', async (options, lacking) => {
    const found = await find('/srv', [mount('/srv', 'nfs4', 'server:/export', options)]);
    expect(found?.lacking).toEqual(lacking);
  });

  it.each([
    [
      ['md-cache', 'open-behind', 'quick-read', 'write-behind'],
      [
        'performance.stat-prefetch=off',
        'performance.quick-read=off',
        'performance.open-behind=off',
      ],
    ],
    [['nl-cache', 'dht'], ['performance.nl-cache=off']],
    [['write-behind', 'io-threads'], []],
  ])('lack options of a GlusterFS volume with %p', async (translators, lacking) => {
    const point = await mkdtemp(path.join(folder, 'volume-'));
    const graph = path.join(point, '.meta', 'graphs', 'active');
    for (const name of translators)
      await mkdir(path.join(graph, `v1-${name}`), { recursive: true });
    const table = [mount(point, 'fuse.glusterfs', 'server:/v1', GLUSTER)];
    expect((await find(path.join(point, 'below'), table))?.lacking).toEqual(lacking);
  });

  it('are unknown for a volume without visible options', async () => {
    const found = await find('/srv', [mount('/srv', 'fuse.glusterfs', 'server:/v1', GLUSTER)]);
    expect(found?.lacking).toBeUndefined();
  });

  it('are those of the deepest and last mount, with links and blanks', async () => {
    const target = path.join(folder, 'a b');
    await mkdir(target);
    await symlink(target, path.join(folder, 'link'));
    const escaped = target.replace(' ', '\\040');
    const mounts = [mount(escaped, 'ext4'), mount(escaped, 'nfs4'), mount(folder, 'cifs')];
    expect(await find(path.join(folder, 'link', 'far'), mounts)).toMatchObject({
      type: 'nfs4',
      mountPoint: target,
    });
    expect(await find(`${folder}-beside`, mounts)).toMatchObject({ type: 'ext4', mountPoint: '/' });
  });

  it('are empty without a table of mounts', async () => {
    const storages = new Map([['far', '/srv']]);
    expect(await findFileSystems({ dataDir: '/', storages }, '/absent')).toEqual([]);
  });
});
