import { LRUCache } from 'lru-cache';
import type { Oid } from '../model/types.js';
import { SharedState } from '../process/runtime.js';

const MAX_VIEWS = 10_000;

/**
 * Refs that other processes have moved lately. The files show what was recorded, or what a push under way is about to record;
 * null for a deleted ref.
 */
export type RecordedRefs = ReadonlyMap<string, ReadonlySet<Oid | null>>;

/** What the caller knows about the refs of a repository from elsewhere. */
export interface KnownRefs {
  /** Rises whenever a change of branches or tags is recorded. */
  readonly version: number;
  /** Returns what other processes have recorded lately. */
  readonly findRecorded: () => Promise<RecordedRefs>;
  /** Called when the files show all of what was found, which need not be found again. */
  readonly noteShown?: (recorded: RecordedRefs) => void;
}

/** What was read of a repository within about a second, at one version. */
export class Snapshot {
  /** How long what was read counts as current, unless a newer version is known: a change of files by hand takes effect after it. */
  static readonly lifetimeMs: number = 1_000;

  /** The identity of the folder; undefined until it was read. */
  identity: Promise<string> | undefined;
  private readonly begin = performance.now();

  get isOver(): boolean {
    return performance.now() > this.begin + Snapshot.lifetimeMs;
  }
}

/** What this process knows about the freshness of what it has read of a repository. */
export class RepositoryView {
  /** The newest version that the files showed; -1 before the first. */
  version = -1;
  /** Rises with each version that another process has recorded: marks of files that were taken before prove nothing then. */
  epoch = 0;
  /** Refs of which the files did not show in time what was recorded. */
  doubtful: ReadonlySet<string> = new Set();
  /** Under way to a newer version; never fails. */
  advancing: Promise<void> | undefined;
  private latest = new Snapshot();

  /** The snapshot that holds now. A read that began in an earlier one is not taken for one in this. */
  get snapshot(): Snapshot {
    if (this.latest.isOver) this.latest = new Snapshot();
    return this.latest;
  }

  /** This process itself has moved the refs: its own file system shows them. */
  moveTo(version: number): void {
    this.version = Math.max(this.version, version);
    this.latest = new Snapshot();
  }

  /** Another process has moved the refs. */
  advanceTo(version: number, doubtful: ReadonlySet<string>): void {
    if (version < this.version) return;
    this.moveTo(version);
    this.epoch += 1;
    this.doubtful = doubtful;
  }
}

const VIEWS = new SharedState(() => new LRUCache<string, RepositoryView>({ max: MAX_VIEWS }));

/** Returns the view of the repository at a path, which all of its handles share. */
export function viewOf(
  runtime: { shared<T>(definition: SharedState<T>): T },
  path: string,
): RepositoryView {
  const views = runtime.shared(VIEWS);
  const known = views.get(path);
  if (known !== undefined) return known;
  const created = new RepositoryView();
  views.set(path, created);
  return created;
}
