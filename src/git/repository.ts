import type { Readable } from 'node:stream';
import { copyRepository } from './copying/copy.js';
import { type FetchOptions, fetchRepository } from './copying/fetch.js';
import type { ForeignFolder, Remote } from './copying/remote.js';
import { takeObjects } from './copying/take-objects.js';
import { type ChangeCounts, Diffs } from './diff/diffs.js';
import { openPatch, type PatchOptions } from './diff/patches.js';
import { blame, type BlamedLines, type BlameOptions } from './history/blame.js';
import {
  type BranchMove,
  Comparisons,
  effectsOf,
  type MoveEffects,
} from './history/comparisons.js';
import { History, type HistoryOptions, type HistoryPage } from './history/history.js';
import {
  type PushedCommits,
  pushedCommits,
  pushedCommitsOfEach,
  type PushedRange,
  PushHistory,
} from './history/pushed-commits.js';
import { checkRepository } from './maintenance/check.js';
import { housekeeping, type HousekeepingResult } from './maintenance/housekeeping.js';
import { removeLeftovers } from './maintenance/leftovers.js';
import {
  canMerge,
  mergeCommits,
  type MergedTree,
  mergeTrees,
  type TreesToMerge,
} from './merge/merge.js';
import { rebaseCommits, type Rebase, type Rebased, type ReplayProblem } from './merge/rebase.js';
import { RepositoryMissingError } from './model/errors.js';
import { BRANCH_PREFIX, type RefPrefix } from './model/names.js';
import type { Diff, Oid } from './model/types.js';
import { type ArchiveOptions, openArchive } from './objects/archive.js';
import { type FileContent, openFile } from './objects/file-content.js';
import { type Admission, storeObjects } from './objects/incoming.js';
import type { NewObjects } from './objects/new-objects.js';
import { ObjectReader } from './objects/object-reader.js';
import { TreeEditor } from './objects/tree-editor.js';
import { Trees } from './objects/trees.js';
import { findUnkept, keepAround, RefStore } from './refs/ref-store.js';
import { gitCommands } from './process/command-table.js';
import { Revisions } from './refs/revisions.js';
import { repositorySize } from './storage/repository-folder.js';
import type { RepositoryLocation } from './storage/repository-location.js';
import {
  advertise,
  type AdvertiseOptions,
  type PackResult,
  uploadPack,
  type UploadPackOptions,
} from './wire/pack-service.js';
import { receivePack, type ReceivePackOptions } from './wire/receive-pack.js';
import { uploadArchive, type UploadArchiveOptions } from './wire/upload-archive.js';

const STREAM_LIMIT_MS = 10 * 60_000;

/** A handle of one bare repository. Creating a handle does not access the repository. */
export class Repository {
  readonly path: string;
  readonly objects: ObjectReader;
  readonly refs: RefStore;
  readonly trees: Trees;
  private readonly revisions: Revisions;
  private readonly walks: History;
  private readonly comparisons: Comparisons;
  private readonly diffs: Diffs;

  constructor(private readonly location: RepositoryLocation) {
    this.path = location.path;
    this.objects = new ObjectReader(location);
    this.refs = new RefStore(location);
    this.revisions = new Revisions(location, this.refs, this.objects);
    this.walks = new History(location);
    this.comparisons = new Comparisons(location, this.objects);
    this.diffs = new Diffs(location, this.objects);
    this.trees = new Trees(location, this.objects);
  }

  /**
   * Returns the total length of its files in bytes, without objects in quarantine. Files that are shared with
   * forks by hard links count for each repository.
   * @throws RepositoryMissingError
   */
  async size(): Promise<number> {
    await this.location.identity();
    return repositorySize(this.path);
  }

  async exists(): Promise<boolean> {
    try {
      await this.location.assertExists();
      return true;
    } catch (error) {
      if (error instanceof RepositoryMissingError) return false;
      throw error;
    }
  }

  /** Returns whether it has no branch. */
  async isEmpty(): Promise<boolean> {
    return (await this.refs.list(BRANCH_PREFIX)).length === 0;
  }

  /**
   * Resolves a revision (docs/reference/conventions.md#revisions): a commit id, HEAD, a tag (peeled), a branch or an
   * unambiguous abbreviated id, in this order, and the way from there to an ancestor. Returns null for anything else.
   */
  resolveCommit(rev: string): Promise<Oid | null> {
    return this.revisions.resolve(rev);
  }

  /** Peels an object to its commit, else returns null. */
  commitOf(oid: Oid): Promise<Oid | null> {
    return this.revisions.commitOf(oid);
  }

  /**
   * Lists commits reachable from `start`, the newest first, in topological order unless asked for by date.
   * @throws ObjectMissingError when `start` is not a commit of this repository
   */
  history(options: HistoryOptions): Promise<HistoryPage> {
    return this.walks.page(options);
  }

  /**
   * Counts the commits that can be reached from one, itself included.
   * @throws ObjectMissingError when `start` is not a commit of this repository
   */
  countHistory(start: Oid, options: { firstParent: boolean }): Promise<number> {
    return this.walks.count(start, options);
  }

  /**
   * Returns the newest commit that changes a file or folder, or null.
   * @throws ObjectMissingError when `start` is not a commit of this repository
   */
  lastChange(start: Oid, path: string): Promise<Oid | null> {
    return this.walks.lastChange(start, path);
  }

  /**
   * Lists reachable commits that are not merges, the newest first by date.
   * @throws ObjectMissingError when `start` is not a commit of this repository
   */
  newestPlain(start: Oid, limit: number): Promise<Oid[]> {
    return this.walks.newestPlain(start, limit);
  }

  /**
   * Returns the commits that a push brought to a branch: their number, and the newest of them.
   * @throws ObjectMissingError when one of the ends is not a commit of this repository
   */
  pushedCommits(range: PushedRange): Promise<PushedCommits> {
    return pushedCommits(this.location, this.objects, range);
  }

  /**
   * Returns the commits of each ref of one push. The number of processes does not depend on the number of refs.
   * @param history the history of the push if it has been read already
   */
  pushedCommitsOfEach(
    ranges: readonly PushedRange[],
    history: PushHistory | null = null,
  ): Promise<PromiseSettledResult<PushedCommits>[]> {
    return pushedCommitsOfEach(this.location, this.objects, ranges, history);
  }

  /**
   * Reads the commits of all refs of one push with one walk, for several queries.
   * @throws ObjectMissingError
   */
  readPushHistory(ranges: readonly Pick<PushedRange, 'tip' | 'base'>[]): Promise<PushHistory> {
    return PushHistory.read(this.location, ranges);
  }

  /** Returns whether `ancestor` is reachable from `descendant`. A commit is its own ancestor. */
  isAncestor(ancestor: Oid, descendant: Oid): Promise<boolean> {
    return this.comparisons.isAncestor(ancestor, descendant);
  }

  /**
   * Returns the first branch by name that contains the commit, without `refs/heads/`; null without any.
   */
  async firstBranchWith(commit: Oid): Promise<string | null> {
    const [ref] = await this.comparisons.refsWith(commit, [BRANCH_PREFIX], 1);
    return ref?.slice(BRANCH_PREFIX.length) ?? null;
  }

  /** Returns the first refs by name, below some prefixes, that contain the commit. */
  refsWith(commit: Oid, prefixes: readonly RefPrefix[], limit: number): Promise<readonly string[]> {
    return this.comparisons.refsWith(commit, prefixes, limit);
  }

  /**
   * Returns which of some commits are reachable from another one, with one walk for all of them.
   * @throws ObjectMissingError
   */
  reachable(commits: readonly Oid[], from: Oid): Promise<ReadonlySet<Oid>> {
    return this.comparisons.reachable(commits, from);
  }

  /** Returns those of some commits from which another one is reachable, with one walk. A commit is its own descendant. */
  descendants(commits: readonly Oid[], of: Oid): Promise<ReadonlySet<Oid>> {
    return this.comparisons.descendants(commits, of);
  }

  /**
   * Finds the commits that brought lines of a file, in the order of the lines. Follows renamed files. Not cached.
   * @throws ObjectMissingError
   */
  blame(options: BlameOptions): Promise<BlamedLines[]> {
    return blame(this.location, options);
  }

  /** Returns the best common ancestor, null for unrelated histories. */
  mergeBase(a: Oid, b: Oid): Promise<Oid | null> {
    return this.comparisons.mergeBase(a, b);
  }

  /**
   * Counts the lines that a commit changes against its first parent, or a root commit against the empty tree.
   * @throws ObjectMissingError
   */
  stats(commit: Oid): Promise<ChangeCounts> {
    return this.diffs.stats(commit);
  }

  /**
   * The same for several commits, in their order, within the time of one request.
   * @throws ObjectMissingError
   * @throws GitTimeoutError
   */
  statsOf(commits: readonly Oid[]): Promise<ChangeCounts[]> {
    return this.diffs.statsOf(commits);
  }

  /** Returns an editor for the files below a tree; null is the empty tree. Writes nothing. */
  editTree(tree: Oid | null): TreeEditor {
    return new TreeEditor(this.objects, tree);
  }

  /**
   * Merges two trees with a common base, with detection of renames. Returns null when they conflict. Writes
   * nothing.
   */
  mergeTrees(trees: TreesToMerge): Promise<MergedTree | null> {
    return mergeTrees(this.location, trees);
  }

  /**
   * Merges two commits like `git merge`, also with several common ancestors. Returns null when they conflict or
   * have no common ancestor. Writes nothing.
   * @throws ObjectMissingError
   */
  mergeCommits(ours: Oid, theirs: Oid): Promise<MergedTree | null> {
    return mergeCommits(this.location, ours, theirs);
  }

  /**
   * Returns whether two commits can be merged without conflict. Cached.
   * @throws ObjectMissingError
   */
  canMerge(ours: Oid, theirs: Oid): Promise<boolean> {
    return canMerge(this.location, ours, theirs);
  }

  /**
   * Applies the commits of a branch to another head, like `git rebase`. Writes nothing.
   * @returns why it is not possible, instead of the commits
   * @throws ObjectMissingError
   */
  rebase(rebase: Rebase): Promise<Rebased | ReplayProblem> {
    return rebaseCommits(this.location, this.objects, rebase);
  }

  /**
   * Determines which of some commits a move has brought into a branch.
   * @throws ObjectMissingError
   */
  effectsOf(move: BranchMove, commits: readonly Oid[]): Promise<MoveEffects> {
    return effectsOf(this.location, move, commits);
  }

  /**
   * Keeps commits and everything reachable from them by hidden refs (`refs/keep-around/`). Idempotent.
   */
  keepAround(commits: readonly Oid[]): Promise<void> {
    return keepAround(this.refs, commits);
  }

  /** Returns those of some commits that no hidden ref of `keepAround` keeps. */
  findUnkept(commits: readonly Oid[]): Promise<Oid[]> {
    return findUnkept(this.refs, commits);
  }

  /**
   * Copies a commit of another repository and everything reachable from it. No ref points at it yet. Can be killed
   * and repeated at any moment.
   * @param known commits of this repository, which are not copied again with their ancestors
   * @param admit decides about the pack
   * @throws RepositoryMissingError for either repository
   * @throws IncompleteCopyError when the other repository does not have all objects
   * @throws the error of `admit`
   */
  takeFrom(
    source: Repository,
    commit: Oid,
    known: readonly Oid[],
    admit?: Admission,
  ): Promise<void> {
    return takeObjects(source.location, this.location, { commit, known, admit });
  }

  /**
   * Stores new objects, all or none, checked like a push and flushed to disk. No ref points at them yet.
   * @throws ObjectsRefusedError
   * @throws the error of `admit`
   */
  store(objects: NewObjects, admit?: Admission): Promise<void> {
    return storeObjects(this.location, objects, admit);
  }

  /**
   * Returns the difference between two commits, with renames; null stands for the empty tree.
   * @throws ObjectMissingError
   */
  diff(from: Oid | null, to: Oid): Promise<Diff> {
    return this.diffs.between(from, to);
  }

  /**
   * Opens the text of the changes between two commits, of any size. The stream has to be read or destroyed. Each text
   * has its own process; the caller has to limit their number.
   */
  patch(options: PatchOptions): Promise<Readable> {
    return openPatch(this.location, options);
  }

  /**
   * Opens a file of any size. Returns null when there is no such blob. A stream has to be read or destroyed. Large
   * files have their own processes; the caller has to limit their number.
   */
  file(oid: Oid): Promise<FileContent | null> {
    return openFile(this.location, this.objects, oid);
  }

  /**
   * Opens an archive of the files of a commit. The stream has to be read or destroyed. Each archive has its own
   * process; the caller has to limit their number.
   * @throws TreeTooLargeError
   */
  archive(options: ArchiveOptions): Promise<Readable> {
    return openArchive(this.location, options);
  }

  /** Writes the advertisement for `info/refs`, without the `# service=` header. */
  advertise(options: AdvertiseOptions): Promise<PackResult> {
    return advertise(this.location, this.refs, options);
  }

  /** Serves a clone or fetch. Leaves the output open. */
  uploadPack(options: UploadPackOptions): Promise<PackResult> {
    return uploadPack(this.location, options);
  }

  /** Serves `git archive --remote`. Leaves the output open. */
  uploadArchive(client: UploadArchiveOptions): Promise<PackResult> {
    return uploadArchive(this.location, client);
  }

  /** Serves a push. Leaves the output open unless `settle` fails, which destroys it. */
  receivePack(options: ReceivePackOptions): Promise<PackResult> {
    return receivePack(this.location, this.refs, options);
  }

  /**
   * Copies branches, tags and HEAD of another repository into this one, which has to be empty. Objects are shared
   * by hard links if possible, otherwise copied, so the repositories do not depend on each other. Readers see
   * nothing or everything. Can be killed and repeated at any moment. There must be no other writer meanwhile.
   * @throws RepositoryMissingError for either repository
   * @throws IncompleteCopyError when the other repository is incomplete
   */
  copyFrom(source: Repository, options: { signal?: AbortSignal } = {}): Promise<void> {
    return copyRepository(source.location, this.location, options.signal);
  }

  /**
   * Fetches branches, tags and HEAD of a repository on another server, or of a folder of this machine that is none of
   * the service's, under the conditions of `copyFrom`.
   * @throws RemoteError
   */
  fetchFrom(source: Remote | ForeignFolder, options: FetchOptions = {}): Promise<void> {
    return fetchRepository(this.location, source, options);
  }

  /**
   * Adds the history of a `git fast-import` stream, which has to end with `done`. Git checks what it adds less than a
   * push: for streams of the service itself.
   */
  async importStream(stream: string): Promise<void> {
    const options = { input: stream, timeoutMs: STREAM_LIMIT_MS };
    await this.location.run(gitCommands.fastImport(this.path), options);
  }

  /**
   * Packs refs and objects, and writes indexes for fast reading. Removes no object. Can be killed and repeated at
   * any moment.
   * @throws GitBusyError while another run holds the repository
   */
  housekeeping(options: { signal?: AbortSignal } = {}): Promise<HousekeepingResult> {
    return housekeeping(this.location, options.signal);
  }

  /**
   * Checks that all refs can be read, and that all objects are there that they reach. Changes nothing.
   * @returns the first lines of what git says about flaws; none for a sound repository
   * @throws RepositoryMissingError
   */
  check(options: { signal?: AbortSignal } = {}): Promise<string[]> {
    return checkRepository(this.location, options.signal);
  }

  /**
   * Removes files of killed processes: locks after an hour, incomplete files after a day. `housekeeping` calls it
   * first.
   */
  async removeLeftovers(): Promise<void> {
    await this.location.identity();
    await removeLeftovers(this.path);
  }
}
