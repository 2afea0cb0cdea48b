import { InvalidArgumentError } from '../model/errors.js';
import {
  assertOid,
  assertRemoteAddress,
  assertRepositoryPath,
  isTreePath,
  type RefPrefix,
} from '../model/names.js';
import type { Oid } from '../model/types.js';

declare const checked: unique symbol;

/** A complete, validated argument list. Only {@link gitCommands} creates them. */
export interface GitCommand {
  readonly [checked]: true;
  /** The subcommand, for messages. */
  readonly name: string;
  readonly args: readonly string[];
  /** The most memory that the process may use, in KiB; without a value there is no limit. */
  readonly memoryKib?: number;
}

export interface CommitRange {
  /** Of several, the command takes the ids from its input. */
  start: Oid | readonly Oid[];
  /** Excludes these commits and their ancestors. */
  exclude?: readonly Oid[] | undefined;
  /** Seconds since 1970, inclusive. */
  since?: number | undefined;
  /** Seconds since 1970, inclusive. */
  until?: number | undefined;
  path?: string | undefined;
  /** A part of the name and address of the author, which is not empty and has no line ends. */
  author?: string | undefined;
  /** Follows only the first parent of each commit. */
  firstParent?: boolean | undefined;
}

export type PackServiceName = 'git-upload-pack' | 'git-receive-pack';

/** Enough for differences of some 500,000 files. */
const DIFF_MEMORY_MIB = 256;
const ARCHIVE_MEMORY_MIB = 256;
const MERGE_MEMORY_MIB = 512;
/** Enough for a file of 4 MiB, and the 200,000 commits of usual length behind it. */
const BLAME_MEMORY_MIB = 256;
/** Enough for the largest file, which is read whole, and the version that it is stored as a difference to. */
const OBJECTS_MEMORY_MIB = 256;
/** git keeps each commit that it walks: enough for 1,000 of 40 KiB. */
const REVISION_MEMORY_MIB = 64;
/** Enough to walk some 200,000 commits of usual length that are not in the commit graph file. */
const CONTAINMENT_MEMORY_MIB = 256;
/** Enough to compare the authors of some 500,000 commits of usual length. */
const AUTHORS_MEMORY_MIB = 256;
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

/** Limits the memory of a command that loads objects of clients. git fails with `out of memory`. */
function bounded(limited: GitCommand, memoryMib: number): GitCommand {
  return { ...limited, memoryKib: memoryMib * 1024 };
}

function seconds(value: number): string {
  if (!Number.isSafeInteger(value) || value < 0) throw new InvalidArgumentError('Not a time');
  return `@${value} +0000`;
}

function rangeArguments(range: CommitRange): string[] {
  const { path, start, author } = range;
  return [
    ...(range.firstParent === true ? ['--first-parent'] : []),
    // Not as a regular expression, which may take time without end.
    ...(author === undefined ? [] : ['--fixed-strings', `--author=${singleLine(author)}`]),
    // A plain --since stops at the first older commit, even if newer ones follow.
    ...(range.since === undefined ? [] : [`--since-as-filter=${seconds(range.since)}`]),
    ...(range.until === undefined ? [] : [`--until=${seconds(range.until)}`]),
    ...(typeof start === 'string' ? [] : ['--stdin']),
    '--end-of-options',
    // Peeled explicitly: for a tree git would list nothing and succeed.
    ...(typeof start === 'string' ? [`${assertOid(start)}^{commit}`] : []),
    ...(range.exclude ?? []).map((oid) => `^${assertOid(oid)}`),
    '--',
    ...(path === undefined ? [] : [treePath(path)]),
  ];
}

function singleLine(text: string): string {
  if (!/^[^\0\r\n]+$/.test(text)) throw new InvalidArgumentError('Not a single line');
  return text;
}

function count(value: number): string {
  if (!Number.isSafeInteger(value) || value < 0) throw new InvalidArgumentError('Not a count');
  return String(value);
}

/** Walks a history. git keeps the commits whose authors it compares. */
function walk(path: string, range: CommitRange, args: readonly string[]): GitCommand {
  const list = inRepository(path, 'rev-list', [...args, ...rangeArguments(range)]);
  return range.author === undefined ? list : bounded(list, AUTHORS_MEMORY_MIB);
}

/** git keeps the number in 32 bits, and begins anew beyond them. */
const skipCount = (value: number): string => count(Math.min(value, 2 ** 31 - 1));

function treePath(name: string): string {
  if (!isTreePath(name)) throw new InvalidArgumentError('Not a tree path');
  return name;
}

/** Returns the name of the top folder of an archive if it is valid. */
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

const CLONE_BARE = ['--bare', '--template=', '--progress', '--reject-shallow', '--no-local'];

/**
 * Renamed files that changed are found by comparing contents while there are at most so many of them. Each removed file is
 * compared with each added one. Files that moved unchanged are always found.
 */
export const RENAME_LIMIT = 400;

function renameArguments(renames: boolean): string[] {
  return renames ? ['--find-renames', `-l${String(RENAME_LIMIT)}`] : ['--no-renames'];
}

/**
 * The allowlist of git commands, with fixed flags and checked arguments. The launcher accepts only commands
 * that were created here.
 */
export const gitCommands = {
  version: () => command('version', []),

  catFileBatch: (path: string) =>
    bounded(inRepository(path, 'cat-file', ['--batch-command', '--buffer']), OBJECTS_MEMORY_MIB),
  catBlob: (path: string, oid: Oid) => inRepository(path, 'cat-file', ['blob', assertOid(oid)]),
  /** Counts the changed lines of each file between the trees on its input. */
  diffTreeCounts: (path: string, { renames }: { renames: boolean }) =>
    bounded(
      inRepository(path, 'diff-tree', [
        '--stdin',
        '-r',
        '--numstat',
        ...renameArguments(renames),
        '--no-ext-diff',
        '--no-textconv',
        '--no-color',
      ]),
      DIFF_MEMORY_MIB,
    ),
  /**
   * Lists names and modes of all files that differ, then the patches. Files of more than 16 MiB count as
   * binary, which bounds the memory of git.
   */
  diffTree: (path: string, { renames }: { renames: boolean }) =>
    bounded(
      inRepository(path, 'diff-tree', [
        '--stdin',
        '-r',
        '--raw',
        '-p',
        '--abbrev=40',
        ...renameArguments(renames),
        '--no-ext-diff',
        '--no-textconv',
        '--no-color',
      ]),
      DIFF_MEMORY_MIB,
    ),
  /** Prints the patches between two commits or trees for people and `git apply`. */
  diffText: (path: string, from: Oid, to: Oid) =>
    bounded(
      inRepository(path, 'diff-tree', [
        '-r',
        '-p',
        '--binary',
        ...renameArguments(true),
        '--no-ext-diff',
        '--no-textconv',
        '--no-color',
        '--end-of-options',
        assertOid(from),
        assertOid(to),
      ]),
      DIFF_MEMORY_MIB,
    ),
  /** Prints the commits of `to` that `from` lacks, the oldest first and without merges, as mails for `git am`. */
  patchMails: (path: string, from: Oid | null, to: Oid) =>
    bounded(
      inRepository(path, 'format-patch', [
        '--stdout',
        '--no-signature',
        ...renameArguments(true),
        '--no-ext-diff',
        '--no-textconv',
        '--no-notes',
        ...(from === null ? ['--root', assertOid(to)] : [`${assertOid(from)}..${assertOid(to)}`]),
      ]),
      DIFF_MEMORY_MIB,
    ),
  /** Lists type, size and id of each object of the object folder. */
  listObjects: (path: string) =>
    inRepository(path, 'cat-file', [
      '--batch-all-objects',
      '--unordered',
      '--buffer',
      '--batch-check=%(objecttype) %(objectsize) %(objectname)',
    ]),
  updateRefs: (path: string) => inRepository(path, 'update-ref', ['--no-deref', '--stdin', '-z']),

  revList: (
    path: string,
    range: CommitRange,
    { skip, limit, byDate }: { skip: number; limit: number; byDate: boolean },
  ) =>
    walk(path, range, [
      ...(byDate ? [] : ['--topo-order']),
      `--skip=${skipCount(skip)}`,
      `--max-count=${count(limit)}`,
    ]),
  /** Lists by date, which does not need to walk the whole history. */
  newest: (path: string, range: CommitRange, limit: number) =>
    inRepository(path, 'rev-list', [`--max-count=${count(limit)}`, ...rangeArguments(range)]),
  revCount: (path: string, range: CommitRange, atMost?: number) =>
    walk(path, range, [
      '--count',
      ...(atMost === undefined ? [] : [`--max-count=${count(atMost)}`]),
    ]),
  newestPlain: (path: string, start: Oid, limit: number) =>
    inRepository(path, 'rev-list', [
      '--no-merges',
      `--max-count=${count(limit)}`,
      ...rangeArguments({ start }),
    ]),
  /** Lists commits reachable from the ids on its input, without those reachable from `^` ids. */
  revListStdin: (path: string) => inRepository(path, 'rev-list', ['--stdin']),
  /**
   * Lists the commits reachable from the ids on its input that descend from a commit. Ids that name nothing are left out. git
   * answers only after it has found all of them.
   */
  revListDescendants: (path: string, commit: Oid) =>
    bounded(
      inRepository(path, 'rev-list', [
        '--ignore-missing',
        '--ancestry-path',
        '--stdin',
        `^${assertOid(commit)}`,
      ]),
      CONTAINMENT_MEMORY_MIB,
    ),
  /**
   * Like `revListStdin`, with time and parents of each commit: children before parents, otherwise the newest
   * first. git sorts only after it has found all of them.
   */
  revListParents: (path: string, limit: number) =>
    inRepository(path, 'rev-list', [
      '--parents',
      '--timestamp',
      '--date-order',
      `--max-count=${count(limit)}`,
      '--stdin',
    ]),
  /**
   * Lists the commits that a rebase of `head` onto another commit applies, the oldest first: no merges, with `skipsApplied` none
   * whose changes a commit on the other side has made already. Beyond the limit the oldest ones are left out.
   */
  rebasedCommits: (
    path: string,
    { onto, head, skipsApplied }: { onto: Oid; head: Oid; skipsApplied: boolean },
    limit: number,
  ) =>
    bounded(
      inRepository(path, 'rev-list', [
        '--topo-order',
        '--reverse',
        '--no-merges',
        '--right-only',
        ...(skipsApplied ? ['--cherry-pick'] : []),
        `--max-count=${count(limit)}`,
        '--end-of-options',
        `${assertOid(onto)}...${assertOid(head)}`,
      ]),
      DIFF_MEMORY_MIB,
    ),
  /** Prints the newest merge among the commits that `head` has and another commit lacks, if there is one. */
  newestMerge: (path: string, base: Oid, head: Oid) =>
    inRepository(path, 'rev-list', [
      '--merges',
      '--max-count=1',
      ...rangeArguments({ start: head, exclude: [base] }),
    ]),
  archive: (path: string, commit: Oid, format: 'tar' | 'zip', folder: string) =>
    bounded(
      inRepository(path, 'archive', [
        `--format=${format}`,
        `--prefix=${folderName(folder)}/`,
        assertOid(commit),
      ]),
      ARCHIVE_MEMORY_MIB,
    ),
  /** Lists the paths of all files and folders of a commit, each followed by NUL. */
  listPaths: (path: string, commit: Oid) =>
    inRepository(path, 'ls-tree', [
      '-r',
      '-t',
      '-z',
      '--full-tree',
      '--name-only',
      '--end-of-options',
      assertOid(commit),
    ]),
  /**
   * Prints the commit to which the numbers of parents lead from another one. Exits with 1 when there is none. git keeps each
   * commit that it walks.
   */
  commitAt: (path: string, start: Oid, steps: readonly number[]) =>
    bounded(
      inRepository(path, 'rev-parse', [
        '--quiet',
        '--verify',
        `${assertOid(start)}${steps.map((step) => `^${count(step)}`).join('')}^{commit}`,
      ]),
      REVISION_MEMORY_MIB,
    ),
  isAncestor: (path: string, ancestor: Oid, descendant: Oid) =>
    inRepository(path, 'merge-base', [
      '--is-ancestor',
      '--end-of-options',
      assertOid(ancestor),
      assertOid(descendant),
    ]),
  mergeBase: (path: string, a: Oid, b: Oid) =>
    inRepository(path, 'merge-base', ['--end-of-options', assertOid(a), assertOid(b)]),
  /** Lists the first refs by name that contain a commit. Fails when the commit is missing. */
  refsWith: (path: string, commit: Oid, prefixes: readonly RefPrefix[], limit: number) =>
    bounded(
      inRepository(path, 'for-each-ref', [
        '--format=%(refname)',
        '--sort=refname',
        `--count=${count(limit)}`,
        `--contains=${assertOid(commit)}`,
        ...prefixes,
      ]),
      CONTAINMENT_MEMORY_MIB,
    ),
  /** Lists which commit brought which lines of a file, entry by entry as git finds them. */
  blame: (path: string, commit: Oid, file: string, lines: { first: number; last: number }) =>
    bounded(
      inRepository(path, 'blame', [
        '--incremental',
        '--no-textconv',
        `-L${count(lines.first)},${count(lines.last)}`,
        assertOid(commit),
        '--',
        treePath(file),
      ]),
      BLAME_MEMORY_MIB,
    ),
  /** Checks and stores a pack from its input. Allows the same flaws as pushes. */
  indexPack: (path: string) =>
    inRepository(path, 'index-pack', [
      '--stdin',
      '--strict=badTimezone=ignore,missingSpaceBeforeDate=ignore,zeroPaddedFilemode=ignore',
    ]),
  /** Packs objects reachable from the ids on its input, without those reachable from `^` ids. */
  packObjects: (path: string) =>
    inRepository(path, 'pack-objects', ['--revs', '--stdout', '--delta-base-offset', '-q']),
  /** Exits with 1 when there are conflicts. */
  mergeTree: (path: string, ours: Oid, theirs: Oid) =>
    bounded(
      inRepository(path, 'merge-tree', [
        '--write-tree',
        '--no-messages',
        '--name-only',
        '--end-of-options',
        assertOid(ours),
        assertOid(theirs),
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
  /** Serves archives of refs. Object ids are not allowed. */
  uploadArchive: (path: string) =>
    bounded(command('upload-archive', [assertRepositoryPath(path)]), ARCHIVE_MEMORY_MIB),
  /** Reads a push and sends no refs before. */
  receivePack: (path: string) => command('receive-pack', packArguments(path, true, false)),

  /** Fails unless all objects are present that are reachable from the ids on its input. */
  checkConnected: (path: string) =>
    inRepository(path, 'rev-list', ['--objects', '--quiet', '--stdin']),
  /** Like `checkConnected`, without objects that are reachable from refs. */
  checkNewConnected: (path: string) =>
    inRepository(path, 'rev-list', ['--objects', '--quiet', '--stdin', '--not', '--all']),
  /** Checks refs and the objects that they reach; exits with the sum of what is wrong. */
  fsck: (path: string) =>
    inRepository(path, 'fsck', [
      '--connectivity-only',
      '--no-dangling',
      '--no-reflogs',
      '--no-progress',
    ]),
  cloneBare: (address: string, folder: string) =>
    command('clone', [
      ...CLONE_BARE,
      '--',
      assertRemoteAddress(address),
      assertRepositoryPath(folder),
    ]),
  /** The same from a folder that may belong to another account. Git gives the other side no settings but these. */
  cloneBareFolder: (source: string, folder: string) =>
    command('clone', [
      ...CLONE_BARE,
      "--upload-pack=git -c 'safe.directory=*' upload-pack",
      '--',
      assertRepositoryPath(source),
      assertRepositoryPath(folder),
    ]),
  fastImport: (path: string) =>
    inRepository(path, 'fast-import', ['--quiet', '--done', '--date-format=raw']),

  packRefs: (path: string) => inRepository(path, 'pack-refs', ['--all', '--prune']),
  repack: (path: string) =>
    inRepository(path, 'repack', [
      '-d',
      '-l',
      '-q',
      '--geometric=2',
      '--no-write-bitmap-index',
      '--write-midx',
    ]),
  writeBitmaps: (path: string) =>
    inRepository(path, 'multi-pack-index', ['write', '--bitmap', '--no-progress']),
  writeCommitGraph: (path: string) =>
    inRepository(path, 'commit-graph', [
      'write',
      '--reachable',
      '--split',
      '--changed-paths',
      '--no-progress',
    ]),
} as const;
