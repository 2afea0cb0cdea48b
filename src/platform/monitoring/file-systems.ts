import { readdir, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../config/index.js';

/** The file system under a folder. */
export interface FileSystem {
  /** `data-dir`, or the name of the storage. */
  readonly name: string;
  readonly folder: string;
  /** As in `/proc/mounts`, such as `ext4`, `nfs4` or `fuse.glusterfs`. */
  readonly type: string;
  /** The device or the server. */
  readonly source: string;
  readonly mountPoint: string;
  /** False for one that other machines may write to, or that a process serves. */
  readonly isLocal: boolean;
  /** What several machines on it need and it does not have; undefined where this cannot be told from here. */
  readonly lacking: readonly string[] | undefined;
}

interface Mount {
  readonly point: string;
  readonly type: string;
  readonly source: string;
  readonly options: ReadonlySet<string>;
}

const SHARED =
  /^(?:nfs4?|cifs|smb3?|smbfs|ceph|lustre|gpfs|beegfs|ocfs2|gfs2|afs|9p|virtiofs|pvfs2|fuse(?:\..+)?)$/;

const MOUNT_TABLE = '/proc/self/mountinfo';

/** The translators of GlusterFS that keep what another machine has replaced, and the options of a volume that turn them off. */
const GLUSTER_CACHES: readonly (readonly [translator: string, option: string])[] = [
  ['md-cache', 'performance.stat-prefetch'],
  ['quick-read', 'performance.quick-read'],
  ['open-behind', 'performance.open-behind'],
  ['nl-cache', 'performance.nl-cache'],
];

/** The options that machines need which share these file systems. */
const FILE_SYSTEMS_PAGE = 'docs/scaling.md#file-systems';

/**
 * Finds the file systems under `DATA_DIR` and the storages, which need not exist yet; none where the kernel has no table of
 * mounts.
 */
export async function findFileSystems(
  { dataDir, storages }: Pick<Config, 'dataDir' | 'storages'>,
  mountTable = MOUNT_TABLE,
): Promise<FileSystem[]> {
  const mounts = parseMounts(await readFile(mountTable, 'utf8').catch(() => ''));
  const roots: [name: string, folder: string][] = [
    ['data-dir', dataDir],
    ...[...storages].map(([name, root]): [string, string] => [`storage ${name}`, root]),
  ];
  const found = await Promise.all(
    roots.map(async ([name, folder]): Promise<FileSystem[]> => {
      const mount = mountOf(await resolve(folder), mounts);
      if (mount === undefined) return [];
      const { type, source, point: mountPoint } = mount;
      const isLocal = !SHARED.test(type);
      const lacking = isLocal ? [] : await findLacking(mount);
      return [{ name, folder, type, source, mountPoint, isLocal, lacking }];
    }),
  );
  return found.flat();
}

/** Names a file system for people. */
export const describeFileSystem = ({ type, source, mountPoint }: FileSystem): string =>
  `${type}, ${source} at ${mountPoint}`;

/** Says what to do about a file system that other machines may write to; undefined if it has all that it needs. */
export function adviceFor({ lacking }: FileSystem): string | undefined {
  if (lacking === undefined) return `see which options it needs in ${FILE_SYSTEMS_PAGE}`;
  if (lacking.length === 0) return undefined;
  return `it lacks ${lacking.join(', ')}, see ${FILE_SYSTEMS_PAGE}`;
}

function parseMounts(table: string): Mount[] {
  return table.split('\n').flatMap((line): Mount[] => {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , , point, options = ''] = before.split(' ');
    const [type = '', source = '', superOptions = ''] = after.split(' ');
    if (point === undefined) return [];
    return [
      {
        point: unescape(point),
        type,
        source: unescape(source),
        options: new Set([...options.split(','), ...superOptions.split(',')]),
      },
    ];
  });
}

/** The kernel writes blanks and backslashes as three octal digits. */
const unescape = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 8)));

/** A later mount hides what was mounted at the same point before. */
function mountOf(folder: string, mounts: readonly Mount[]): Mount | undefined {
  let found: Mount | undefined;
  for (const mount of mounts) {
    const below = mount.point.endsWith('/') ? mount.point : `${mount.point}/`;
    const isAbove = folder === mount.point || folder.startsWith(below);
    if (isAbove && mount.point.length >= (found?.point.length ?? 0)) found = mount;
  }
  return found;
}

/** Follows symbolic links as far as the folder exists and can be looked at. */
async function resolve(folder: string): Promise<string> {
  const parent = path.dirname(folder);
  if (parent === folder) return folder;
  return realpath(folder).catch(async () =>
    path.join(await resolve(parent), path.basename(folder)),
  );
}

async function findLacking(mount: Mount): Promise<string[] | undefined> {
  if (/^nfs4?$/.test(mount.type)) return lackingOfNfs(mount.options);
  return mount.type === 'fuse.glusterfs' ? lackingOfGluster(mount.point) : undefined;
}

function lackingOfNfs(options: ReadonlySet<string>): string[] {
  const remembersAbsence = !options.has('lookupcache=pos') && !options.has('lookupcache=none');
  return [
    ...(remembersAbsence ? ['lookupcache=positive'] : []),
    ...(options.has('soft') || options.has('softerr') ? ['hard'] : []),
  ];
}

/** A mount of GlusterFS shows in a hidden folder which translators are at work. */
async function lackingOfGluster(mountPoint: string): Promise<string[] | undefined> {
  const graph = path.join(mountPoint, '.meta', 'graphs', 'active');
  const translators = await readdir(graph).catch(() => undefined);
  if (translators === undefined) return undefined;
  return GLUSTER_CACHES.filter(([cache]) =>
    translators.some((translator) => translator.endsWith(`-${cache}`)),
  ).map(([, option]) => `${option}=off`);
}
