import type { Readable } from 'node:stream';
import { BRANCH_PREFIX } from './names.js';
import { openArchive, type ArchiveOptions } from './archive.js';
import { effectsOf, type BranchMove, type MoveEffects } from './branch-moves.js';
import { Comparisons, type ChangeCounts } from './comparisons.js';
import { Diffs } from './diffs.js';
import { RepositoryMissingError } from './errors.js';
import { copyRepository } from './copy.js';
import { repositorySize } from './folder-size.js';
import { fetchRepository, type FetchOptions } from './fetch.js';
import { openFile, type FileContent } from './file-content.js';
import { History, type HistoryOptions, type HistoryPage } from './history.js';
import { housekeeping, type HousekeepingResult } from './housekeeping.js';
import { removeLeftovers } from './leftovers.js';
import { keepAround } from './keep-around.js';
import { canMerge, mergeCommits, mergeTrees } from './merge.js';
import type { MergedTree, TreesToMerge } from './merge.js';
import type { NewObjects } from './new-objects.js';
import { ObjectReader } from './object-reader.js';
import { type Admission, storeObjects } from './pack.js';
import { advertise, uploadPack } from './pack-service.js';
import type { AdvertiseOptions, PackResult, UploadPackOptions } from './pack-service.js';
import { pushedCommits, pushedCommitsOfEach, PushHistory } from './pushed-commits.js';
import type { PushedCommits, PushedRange } from './pushed-commits.js';
import { receivePack, type ReceivePackOptions } from './receive-pack.js';
import { RefStore } from './ref-store.js';
import type { Remote } from './remote.js';
import { Revisions } from './revisions.js';
import { takeObjects } from './take-objects.js';
import { TreeEditor } from './tree-editor.js';
import { uploadArchive, type UploadArchiveOptions } from './upload-archive.js';
import type { RepositoryLocation } from './runtime.js';
import { Trees } from './trees.js';
import type { Diff, Oid } from './types.js';

/** A handle on one bare repository. Making one costs nothing and touches nothing. */
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
   * The lengths of its files in bytes, without objects that are still in quarantine. Files that are shared
   * with forks by hard link count in each of them.
   * @throws RepositoryMissingError
   */
  async size(): Promise<number> {
    await this.location.identity();
    return repositorySize(this.path);
  }

  async exists(): Promise<boolean> {
    try {
      await this.location.identity();
      return true;
    } catch (error) {
      if (error instanceof RepositoryMissingError) return false;
      throw error;
    }
  }

  /** Whether it has no branch. */
  async isEmpty(): Promise<boolean> {
    return (await this.refs.list(BRANCH_PREFIX)).length === 0;
  }

  /**
   * The commit a user means: a whole id, a branch, a tag (peeled), or an unambiguous abbreviated id
   * of at least four digits, in this order. Everything else is null, revision expressions included.
   */
  resolveCommit(rev: string): Promise<Oid | null> {
    return this.revisions.resolve(rev);
  }

  /** The commit an object is or a tag object leads to, else null. */
  commitOf(oid: Oid): Promise<Oid | null> {
    return this.revisions.commitOf(oid);
  }

  /**
   * Commits reachable from `start` in topological order, the newest first.
   * @throws ObjectMissingError when `start` is not a commit of this repository
   */
  history(options: HistoryOptions): Promise<HistoryPage> {
    return this.walks.page(options);
  }

  /**
   * The newest commit that changes a file or folder, or null.
   * @throws ObjectMissingError when `start` is not a commit of this repository
   */
  lastChange(start: Oid, path: string): Promise<Oid | null> {
    return this.walks.lastChange(start, path);
  }

  /**
   * Reachable commits that are no merges, the newest first by date.
   * @throws ObjectMissingError when `start` is not a commit of this repository
   */
  newestPlain(start: Oid, limit: number): Promise<Oid[]> {
    return this.walks.newestPlain(start, limit);
  }

  /**
   * The commits that a push brought to a branch: their exact number, and the newest of them.
   * @throws ObjectMissingError when one of the two ends is no commit of this repository
   */
  pushedCommits(range: PushedRange): Promise<PushedCommits> {
    return pushedCommits(this.location, this.objects, range);
  }

  /**
   * The same for the refs of one push; how many processes it takes does not depend on their number.
   * @param history of the push, where it has been read already
   */
  pushedCommitsOfEach(
    ranges: readonly PushedRange[],
    history: PushHistory | null = null,
  ): Promise<PromiseSettledResult<PushedCommits>[]> {
    return pushedCommitsOfEach(this.location, this.objects, ranges, history);
  }

  /**
   * Reads what the refs of one push have brought with one walk, to put several questions to it.
   * @throws ObjectMissingError
   */
  readPushHistory(ranges: readonly Pick<PushedRange, 'tip' | 'base'>[]): Promise<PushHistory> {
    return PushHistory.read(this.location, ranges);
  }

  /** Whether `ancestor` can be reached from `descendant`; a commit is its own ancestor. */
  isAncestor(ancestor: Oid, descendant: Oid): Promise<boolean> {
    return this.comparisons.isAncestor(ancestor, descendant);
  }

  /**
   * The branch whose history has the commit, by its name without `refs/heads/`; of several the first
   * by name, null without any.
   */
  firstBranchWith(commit: Oid): Promise<string | null> {
    return this.comparisons.firstBranchWith(commit);
  }

  /**
   * Which of some commits can be reached from another one; one walk for all of them.
   * @throws ObjectMissingError
   */
  reachable(commits: readonly Oid[], from: Oid): Promise<ReadonlySet<Oid>> {
    return this.comparisons.reachable(commits, from);
  }

  /** The best common ancestor, or null for unrelated histories. */
  mergeBase(a: Oid, b: Oid): Promise<Oid | null> {
    return this.comparisons.mergeBase(a, b);
  }

  /**
   * Lines a commit changes against its first parent, a root commit against nothing.
   * @throws ObjectMissingError
   */
  stats(commit: Oid): Promise<ChangeCounts> {
    return this.comparisons.stats(commit);
  }

  /** Prepares changes below a tree; null starts without any file. Writes nothing. */
  editTree(tree: Oid | null): TreeEditor {
    return new TreeEditor(this.objects, tree);
  }

  /**
   * Merges two trees by what they changed in a third, renames included; null when they conflict.
   * Writes nothing.
   */
  mergeTrees(trees: TreesToMerge): Promise<MergedTree | null> {
    return mergeTrees(this.location, trees);
  }

  /**
   * Merges two commits as `git merge` does, several common ancestors included; null when they conflict
   * or have no common ancestor. Writes nothing.
   * @throws ObjectMissingError
   */
  mergeCommits(ours: Oid, theirs: Oid): Promise<MergedTree | null> {
    return mergeCommits(this.location, ours, theirs);
  }

  /**
   * Whether `mergeCommits` finds a tree for them; remembered.
   * @throws ObjectMissingError
   */
  canMerge(ours: Oid, theirs: Oid): Promise<boolean> {
    return canMerge(this.location, ours, theirs);
  }

  /**
   * What a move of a branch means to commits that were to come into it.
   * @throws ObjectMissingError
   */
  effectsOf(move: BranchMove, commits: readonly Oid[]): Promise<MoveEffects> {
    return effectsOf(this.location, move, commits);
  }

  /**
   * Makes commits stay, with all they lead to, by refs that no client sees (`refs/keep-around/`). Can
   * be repeated.
   */
  keepAround(commits: readonly Oid[]): Promise<void> {
    return keepAround(this.refs, commits);
  }

  /**
   * Takes over a commit of another repository and all it leads to; nothing refers to it yet. Can be
   * killed and repeated at any moment.
   * @param known commits of this repository: what they lead to is not taken again
   * @param admit decides about the pack that they make
   * @throws RepositoryMissingError for either of the two
   * @throws IncompleteCopyError when the other repository does not have all of it
   * @throws whatever `admit` throws
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
   * Stores new objects, all or none, checked like those of a push and flushed to disk. Nothing refers
   * to them yet.
   * @throws ObjectsRefusedError
   * @throws whatever `admit` throws
   */
  store(objects: NewObjects, admit?: Admission): Promise<void> {
    return storeObjects(this.location, objects, admit);
  }

  /**
   * What leads from one commit to another, with renames; null stands for nothing at all.
   * @throws ObjectMissingError
   */
  diff(from: Oid | null, to: Oid): Promise<Diff> {
    return this.diffs.between(from, to);
  }

  /**
   * A file of any size, or null when there is no such blob; a stream must be read or destroyed. Large files
   * have a process each, whose number the caller has to bound.
   */
  file(oid: Oid): Promise<FileContent | null> {
    return openFile(this.location, this.objects, oid);
  }

  /**
   * The files of a commit in one archive; the stream must be read or destroyed. Each has a process, whose
   * number the caller has to bound.
   * @throws TreeTooLargeError
   */
  archive(options: ArchiveOptions): Promise<Readable> {
    return openArchive(this.location, options);
  }

  /** Writes the list of refs and abilities for `info/refs`, without the `# service=` header. */
  advertise(options: AdvertiseOptions): Promise<PackResult> {
    return advertise(this.location, this.refs, options);
  }

  /** Serves a clone or fetch; the output is left open. */
  uploadPack(options: UploadPackOptions): Promise<PackResult> {
    return uploadPack(this.location, options);
  }

  /** Serves `git archive --remote`; the output is left open. */
  uploadArchive(client: UploadArchiveOptions): Promise<PackResult> {
    return uploadArchive(this.location, client);
  }

  /** Serves a push; the output is left open unless `settle` fails, which destroys it. */
  receivePack(options: ReceivePackOptions): Promise<PackResult> {
    return receivePack(this.location, options);
  }

  /**
   * Takes over the branches and tags of another repository, and its HEAD; for one that is empty.
   * Objects are shared by hard links where the file system can, copied elsewhere, so the two never
   * depend on each other. Readers see nothing of it or everything. Can be killed and repeated at any
   * moment; nobody else may write to this repository meanwhile.
   * @throws RepositoryMissingError for either of the two
   * @throws IncompleteCopyError when the other repository is not whole itself
   */
  copyFrom(source: Repository, options: { signal?: AbortSignal } = {}): Promise<void> {
    return copyRepository(source.location, this.location, options.signal);
  }

  /**
   * Takes over the branches and tags of a repository on another server, and its HEAD, under the
   * terms of `copyFrom`.
   * @throws RemoteError
   */
  fetchFrom(remote: Remote, options: FetchOptions = {}): Promise<void> {
    return fetchRepository(this.location, remote, options);
  }

  /**
   * Packs refs and objects and writes the indexes that make reading fast. Removes no object, can be
   * killed and repeated at any moment.
   * @throws GitBusyError while another run holds the repository
   */
  housekeeping(options: { signal?: AbortSignal } = {}): Promise<HousekeepingResult> {
    return housekeeping(this.location, options.signal);
  }
  /**
   * Removes what killed processes left half-written or locked and nobody can be at work on any more:
   * locks after an hour, the rest after a day. `housekeeping` begins with it.
   */
  async removeLeftovers(): Promise<void> {
    await this.location.identity();
    await removeLeftovers(this.path);
  }
}
