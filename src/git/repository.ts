import { Comparisons, type ChangeCounts } from './comparisons.js';
import { RepositoryMissingError } from './errors.js';
import { copyRepository } from './copy.js';
import { fetchRepository, type FetchOptions } from './fetch.js';
import { History, type HistoryOptions, type HistoryPage } from './history.js';
import { housekeeping, type HousekeepingResult } from './housekeeping.js';
import { ObjectReader } from './object-reader.js';
import { advertise, uploadPack } from './pack-service.js';
import type { AdvertiseOptions, PackResult, UploadPackOptions } from './pack-service.js';
import { pushedCommits, type PushedCommits, type PushedRange } from './pushed-commits.js';
import { receivePack, type ReceivePackOptions } from './receive-pack.js';
import { RefStore } from './ref-store.js';
import type { Remote } from './remote.js';
import { Revisions } from './revisions.js';
import type { Place } from './room.js';
import type { Oid } from './types.js';

/** A handle on one bare repository. Making one costs nothing and touches nothing. */
export class Repository {
  readonly path: string;
  readonly objects: ObjectReader;
  readonly refs: RefStore;
  private readonly revisions: Revisions;
  private readonly walks: History;
  private readonly comparisons: Comparisons;

  constructor(private readonly place: Place) {
    this.path = place.path;
    this.objects = new ObjectReader(place);
    this.refs = new RefStore(place);
    this.revisions = new Revisions(place, this.refs, this.objects);
    this.walks = new History(place);
    this.comparisons = new Comparisons(place, this.objects);
  }

  async exists(): Promise<boolean> {
    try {
      await this.place.identity();
      return true;
    } catch (error) {
      if (error instanceof RepositoryMissingError) return false;
      throw error;
    }
  }

  /** Whether it has no branch. */
  async isEmpty(): Promise<boolean> {
    return (await this.refs.list('refs/heads/')).length === 0;
  }

  /**
   * The commit a user means: a whole id, a branch, a tag (peeled), or an unambiguous abbreviated id
   * of at least four digits, in this order. Everything else is null, revision expressions included.
   */
  resolveCommit(rev: string): Promise<Oid | null> {
    return this.revisions.resolve(rev);
  }

  /**
   * Commits reachable from `start` in topological order, the newest first.
   * @throws ObjectMissingError when `start` is not a commit of this repository
   */
  history(options: HistoryOptions): Promise<HistoryPage> {
    return this.walks.page(options);
  }

  /**
   * The commits that a push brought to a branch: their exact number, and the newest of them.
   * @throws ObjectMissingError when one of the two ends is no commit of this repository
   */
  pushedCommits(range: PushedRange): Promise<PushedCommits> {
    return pushedCommits(this.place, this.objects, range);
  }

  /** Whether `ancestor` can be reached from `descendant`; a commit is its own ancestor. */
  isAncestor(ancestor: Oid, descendant: Oid): Promise<boolean> {
    return this.comparisons.isAncestor(ancestor, descendant);
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

  /** Writes git's list of refs and abilities for `info/refs`, without the `# service=` header. */
  advertise(options: AdvertiseOptions): Promise<PackResult> {
    return advertise(this.place, options);
  }

  /** Serves a clone or fetch; the output is left open. */
  uploadPack(options: UploadPackOptions): Promise<PackResult> {
    return uploadPack(this.place, options);
  }

  /** Serves a push; the output is left open unless `settle` fails, which destroys it. */
  receivePack(options: ReceivePackOptions): Promise<PackResult> {
    return receivePack(this.place, options);
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
    return copyRepository(source.place, this.place, options.signal);
  }

  /**
   * Takes over the branches and tags of a repository on another server, and its HEAD, under the
   * terms of `copyFrom`.
   * @throws RemoteError
   */
  fetchFrom(remote: Remote, options: FetchOptions = {}): Promise<void> {
    return fetchRepository(this.place, remote, options);
  }

  /**
   * Packs refs and objects and writes the indexes that make reading fast. Removes no object, can be
   * killed and repeated at any moment.
   * @throws GitBusyError while another run holds the repository
   */
  housekeeping(options: { signal?: AbortSignal } = {}): Promise<HousekeepingResult> {
    return housekeeping(this.place, options.signal);
  }
}
