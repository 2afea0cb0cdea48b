import type { Oid, RefUpdate } from '../../../git/index.js';
import { DomainEvent } from '../../../platform/events/index.js';
import type { PushedRef } from '../../activity/index.js';

/** How many refs are described at once; a push may bring any number of them. */
const BATCH_SIZE = 50;

type Batch = readonly RefUpdate[];

/**
 * The refs of a push, in batches that bound how many commits are in memory. The last batch that was described
 * is kept, so that a push of few refs is described once for all subscribers.
 */
export class PushedRefs {
  readonly batches: readonly Batch[];
  private last: { batch: Batch; described: Promise<readonly PushedRef[]> } | undefined;

  constructor(
    updates: readonly RefUpdate[],
    private readonly describeBatch: (batch: Batch) => Promise<readonly PushedRef[]>,
  ) {
    const count = Math.ceil(updates.length / BATCH_SIZE);
    this.batches = Array.from({ length: count }, (_, index) =>
      updates.slice(index * BATCH_SIZE, (index + 1) * BATCH_SIZE),
    );
  }

  /** Reads what git knows of each ref of a batch. */
  describe(batch: Batch): Promise<readonly PushedRef[]> {
    if (this.last?.batch !== batch) this.last = { batch, described: this.describeBatch(batch) };
    return this.last.described;
  }
}

/** A branch that a push has created or moved. */
export interface PushedBranch {
  /** Without `refs/heads/`. */
  readonly name: string;
  /** Null for a new branch. */
  readonly before: Oid | null;
  readonly after: Oid;
  /** Whether it is the default branch, possibly since this push. */
  readonly isDefault: boolean;
  /**
   * The newest commits that the push brought to the branch, newest first: at most 100, and in a push of more
   * than 100 branches at most 20 for each branch but the default one.
   */
  readonly newest: readonly Oid[];
}

/**
 * A push, by a git client or the API, has created, moved or deleted branches or tags. Published once, in the unit of work
 * that records the push and holds the push lock. Subscribers use the phases of `PushPhase`.
 */
@DomainEvent()
export class PushRecorded {
  constructor(
    readonly projectId: number,
    /** Who pushed. */
    readonly userId: number,
    /** The branches that were created or moved. */
    readonly branches: readonly PushedBranch[],
    /** The names of the deleted branches, without `refs/heads/`. */
    readonly deletedBranches: readonly string[],
    /** Branches and tags, with the commits that they got. */
    readonly refs: PushedRefs,
  ) {}
}

/** The order of subscribers to `PushRecorded`. The activity is recorded after them, which locks the project. */
export const PushPhase = {
  /** Accepted merge requests are merged, before what follows takes them for open. */
  RECORD_MERGES: 0,
  /** Issues and merge requests follow the branches; releases end with their tags. */
  FOLLOW_BRANCHES: 1,
  NOTIFY_HOOKS: 2,
} as const;
