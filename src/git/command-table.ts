import { isAbsolute } from 'node:path';
import { InvalidArgumentError } from './errors.js';
import { assertOid, BRANCH_PREFIX, isTreePath } from './names.js';
import { assertRemoteAddress } from './remote-address.js';
import type { Oid } from './types.js';

declare const checked: unique symbol;

/** A complete, validated argument list. Only {@link gitCommands} makes them. */
export interface GitCommand {
  readonly [checked]: true;
  /** For messages: the subcommand alone. */
  readonly name: string;
  readonly args: readonly string[];
  /** Most memory of its own that the process may take; without it any. KiB. */
  readonly memoryKib?: number;
}

export interface CommitRange {
  start: Oid;
  /** Leaves out these commits and their ancestors. */
  exclude?: readonly Oid[] | undefined;
  /** Seconds since 1970, inclusive. */
  since?: number | undefined;
  /** Seconds since 1970, inclusive. */
  until?: number | undefined;
  path?: string | undefined;
}

export type PackServiceName = 'git-upload-pack' | 'git-receive-pack';

/** Enough for differences of some 500,000 files. */
const DIFF_MEMORY_MIB = 256;
const ARCHIVE_MEMORY_MIB = 256;
const MERGE_MEMORY_MIB = 512;
const NO_FLAGS: readonly string[] = [];

function command(name: string, args: readonly string[], global = NO_FLAGS): GitCommand {
  return { name, args: [...global, name, ...args] } as unknown as GitCommand;
}

function inRepository(
  path: string,
  name: string,
  args: readonly string[],
  global = NO_FLAGS,
): GitCommand {
  return command(name, args, [`--git-dir=${assertRepositoryPath(path)}`, ...global]);
}

/** For commands that hold in memory what clients have stored: git ends with `out of memory`. */
function bounded(limited: GitCommand, memoryMib: number): GitCommand {
  return { ...limited, memoryKib: memoryMib * 1024 };
}

/** A repository is named by an absolute path; line ends would break the hook's own protocol. */
export function assertRepositoryPath(path: string): string {
  if (!isAbsolute(path) || /[\0\r\n]/.test(path)) {
    throw new InvalidArgumentError('A repository is named by an absolute path');
  }
  return path;
}

function seconds(value: number): string {
  if (!Number.isSafeInteger(value) || value < 0) throw new InvalidArgumentError('Not a time');
  return `@${value} +0000`;
}

function rangeArguments(range: CommitRange): string[] {
  const { path } = range;
  if (path !== undefined && !isTreePath(path)) throw new InvalidArgumentError('Not a tree path');
  const start = assertOid(range.start);
  return [
    // As a filter: a plain --since stops at the first older commit, whatever lies behind it.
    ...(range.since === undefined ? [] : [`--since-as-filter=${seconds(range.since)}`]),
    ...(range.until === undefined ? [] : [`--until=${seconds(range.until)}`]),
    '--end-of-options',
    // Peeled by force: of a tree git would list nothing, and be content.
    `${start}^{commit}`,
    ...(range.exclude ?? []).map((oid) => `^${assertOid(oid)}`),
    '--',
    ...(path === undefined ? [] : [path]),
  ];
}

function count(value: number): string {
  if (!Number.isSafeInteger(value) || value < 0) throw new InvalidArgumentError('Not a count');
  return String(value);
}

/** The one folder that an archive has everything in. */
function folderName(name: string): string {
  if (!isTreePath(name) || name.includes('/')) throw new InvalidArgumentError('Not a folder name');
  return name;
}

function packArguments(path: string, stateless: boolean, advertise: boolean): string[] {
  return [
    ...(stateless ? ['--stateless-rpc'] : []),
    ...(advertise ? ['--http-backend-info-refs'] : []),
    '--end-of-options',
    assertRepositoryPath(path),
  ];
}

/**
 * The allowlist: every git command the service can run, with its fixed flags and checked
 * arguments. Nothing else can be started, since the launcher takes only what is made here.
 */
export const gitCommands = {
  version: () => command('version', []),

  catFileBatch: (path: string) => inRepository(path, 'cat-file', ['--batch-command', '--buffer']),
  catBlob: (path: string, oid: Oid) => inRepository(path, 'cat-file', ['blob', assertOid(oid)]),
  diffTreeCounts: (path: string) =>
    bounded(
      inRepository(path, 'diff-tree', [
        ...['--stdin', '--root', '-r', '--numstat', '--no-renames'],
        ...['--no-ext-diff', '--no-textconv', '--no-color'],
      ]),
      DIFF_MEMORY_MIB,
    ),
  /**
   * Names and modes of all files that differ, then the patches. Files of more than 16 MiB are taken for
   * binary ones, which bounds what git holds in memory.
   */
  diffTree: (path: string) =>
    bounded(
      inRepository(path, 'diff-tree', [
        ...['--stdin', '-r', '--raw', '-p', '--abbrev=40', '--find-renames'],
        ...['--no-ext-diff', '--no-textconv', '--no-color'],
      ]),
      DIFF_MEMORY_MIB,
    ),
  /** Type, size and id of each object of the object folder. */
  listObjects: (path: string) =>
    inRepository(path, 'cat-file', [
      ...['--batch-all-objects', '--unordered', '--buffer'],
      '--batch-check=%(objecttype) %(objectsize) %(objectname)',
    ]),
  updateRefs: (path: string) => inRepository(path, 'update-ref', ['--no-deref', '--stdin', '-z']),

  revList: (path: string, range: CommitRange, skip: number, limit: number) =>
    inRepository(path, 'rev-list', [
      ...['--topo-order', `--skip=${count(skip)}`, `--max-count=${count(limit)}`],
      ...rangeArguments(range),
    ]),
  /** By date, which needs no look at the whole history. */
  newest: (path: string, range: CommitRange, limit: number) =>
    inRepository(path, 'rev-list', [`--max-count=${count(limit)}`, ...rangeArguments(range)]),
  revCount: (path: string, range: CommitRange, atMost?: number) =>
    inRepository(path, 'rev-list', [
      ...['--count', ...(atMost === undefined ? [] : [`--max-count=${count(atMost)}`])],
      ...rangeArguments(range),
    ]),
  newestPlain: (path: string, start: Oid, limit: number) =>
    inRepository(path, 'rev-list', [
      ...['--no-merges', `--max-count=${count(limit)}`],
      ...rangeArguments({ start }),
    ]),
  /** Lists what can be reached from the ids on its input, without what can be reached from `^` ids. */
  revListStdin: (path: string) => inRepository(path, 'rev-list', ['--stdin']),
  /**
   * The same with time and parents of each: children before their parents, else the newest first. Git sorts
   * the newest only when it has found all of them.
   */
  revListParents: (path: string, limit: number) =>
    inRepository(path, 'rev-list', [
      ...['--parents', '--timestamp', '--date-order', `--max-count=${count(limit)}`, '--stdin'],
    ]),
  archive: (path: string, commit: Oid, format: 'tar' | 'zip', folder: string) =>
    bounded(
      inRepository(path, 'archive', [
        ...[`--format=${format}`, `--prefix=${folderName(folder)}/`, assertOid(commit)],
      ]),
      ARCHIVE_MEMORY_MIB,
    ),
  /** The paths of all files and folders of a commit, each with a NUL behind it. */
  listPaths: (path: string, commit: Oid) =>
    inRepository(path, 'ls-tree', [
      ...['-r', '-t', '-z', '--full-tree', '--name-only', '--end-of-options', assertOid(commit)],
    ]),
  isAncestor: (path: string, ancestor: Oid, descendant: Oid) =>
    inRepository(path, 'merge-base', [
      ...['--is-ancestor', '--end-of-options', assertOid(ancestor), assertOid(descendant)],
    ]),
  mergeBase: (path: string, a: Oid, b: Oid) =>
    inRepository(path, 'merge-base', ['--end-of-options', assertOid(a), assertOid(b)]),
  /** Exits with an error where the commit is missing. */
  firstBranchWith: (path: string, commit: Oid) =>
    inRepository(path, 'for-each-ref', [
      ...['--format=%(refname)', '--sort=refname', '--count=1'],
      ...[`--contains=${assertOid(commit)}`, BRANCH_PREFIX],
    ]),
  /** Checks and stores a pack from its input; the flaws are those that pushes may have too. */
  indexPack: (path: string) =>
    inRepository(path, 'index-pack', [
      '--stdin',
      '--strict=badTimezone=ignore,missingSpaceBeforeDate=ignore,zeroPaddedFilemode=ignore',
    ]),
  /** Packs what can be reached from the ids on its input, without what can be reached from `^` ids. */
  packObjects: (path: string) =>
    inRepository(path, 'pack-objects', ['--revs', '--stdout', '--delta-base-offset', '-q']),
  /** Exits with 1 when there are conflicts. */
  mergeTree: (path: string, ours: Oid, theirs: Oid) =>
    bounded(
      inRepository(path, 'merge-tree', [
        ...['--write-tree', '--no-messages', '--name-only', '--end-of-options'],
        ...[assertOid(ours), assertOid(theirs)],
      ]),
      MERGE_MEMORY_MIB,
    ),
  setHead: (path: string, ref: string) => inRepository(path, 'symbolic-ref', ['HEAD', ref]),

  advertise: (service: PackServiceName, path: string) =>
    service === 'git-upload-pack'
      ? command('upload-pack', ['--strict', ...packArguments(path, true, true)])
      : command('receive-pack', packArguments(path, true, true)),
  uploadPack: (path: string, stateless: boolean) =>
    command('upload-pack', ['--strict', ...packArguments(path, stateless, false)]),
  /** Packs what the client asks for, from branches, tags and other refs alone. */
  uploadArchive: (path: string) =>
    bounded(command('upload-archive', [assertRepositoryPath(path)]), ARCHIVE_MEMORY_MIB),
  receivePack: (path: string, stateless: boolean) =>
    command('receive-pack', packArguments(path, stateless, false)),

  /** Exits with an error unless everything is there that can be reached from the ids on its input. */
  checkConnected: (path: string) =>
    inRepository(path, 'rev-list', ['--objects', '--quiet', '--stdin']),
  /** The same for what no ref leads to yet. */
  checkNewConnected: (path: string) =>
    inRepository(path, 'rev-list', ['--objects', '--quiet', '--stdin', '--not', '--all']),
  cloneBare: (address: string, folder: string) =>
    command('clone', [
      ...['--bare', '--template=', '--progress', '--reject-shallow', '--no-local'],
      ...['--', assertRemoteAddress(address), assertRepositoryPath(folder)],
    ]),

  packRefs: (path: string) => inRepository(path, 'pack-refs', ['--all', '--prune']),
  repack: (path: string) =>
    inRepository(path, 'repack', [
      ...['-d', '-l', '-q', '--geometric=2', '--no-write-bitmap-index', '--write-midx'],
    ]),
  writeBitmaps: (path: string) =>
    inRepository(path, 'multi-pack-index', ['write', '--bitmap', '--no-progress']),
  writeCommitGraph: (path: string) =>
    inRepository(path, 'commit-graph', [
      ...['write', '--reachable', '--split', '--changed-paths', '--no-progress'],
    ]),
} as const;
