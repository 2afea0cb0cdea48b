import type { Oid, RefUpdate } from '../../../git/index.js';
import { DomainEvent } from '../../../platform/events/index.js';

/** How many refs are described at once; a push may bring any number of them. */
const BATCH_SIZE = 50;

/** A commit in a payload (docs/reference/hooks.md#shared-objects). */
export interface PushedCommit {
  /** The full hash. */
  id: string;
  message: string;
  /** The date of the commit in the committer's offset, without a fraction of a second. */
  timestamp: string;
  url: string;
  author: { name: string; email: string };
}

/** The payload of an update of one ref, for feeds and hooks (docs/reference/hooks.md#pushes-and-tags). */
export interface PushPayload {
  object_kind: 'push' | 'tag_push';
  /** Zeros for a new ref, as `after` is for a deleted one. */
  before: string;
  after: string;
  /** In full: `refs/heads/master`. */
  ref: string;
  /** Of an annotated tag. */
  message: string | null;
  user_id: number;
  user_name: string;
  project_id: number;
  repository: { name: string; url: string; description: string | null; homepage: string };
  /** The newest twenty, oldest first. */
  commits: PushedCommit[];
  total_commits_count: number;
}

type Batch = readonly RefUpdate[];

/**
 * The refs of a push, in batches that bound how many payloads are in memory. The payloads of the last batch
 * are kept, so that a push of few refs is described once for all subscribers.
 */
export class PushedRefs {
  readonly batches: readonly Batch[];
  private last: { batch: Batch; payloads: Promise<readonly PushPayload[]> } | undefined;

  constructor(
    updates: readonly RefUpdate[],
    private readonly buildPayloads: (batch: Batch) => Promise<readonly PushPayload[]>,
  ) {
    const count = Math.ceil(updates.length / BATCH_SIZE);
    this.batches = Array.from({ length: count }, (_, index) =>
      updates.slice(index * BATCH_SIZE, (index + 1) * BATCH_SIZE),
    );
  }

  /** Returns the payload of each ref of a batch. */
  describe(batch: Batch): Promise<readonly PushPayload[]> {
    if (this.last?.batch !== batch) this.last = { batch, payloads: this.buildPayloads(batch) };
    return this.last.payloads;
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
    /** Branches and tags, as feeds and hooks show them. */
    readonly refs: PushedRefs,
  ) {}
}

/** The order of subscribers to `PushRecorded`. The activity is recorded after them, which locks the project. */
export const PushPhase = {
  /** Accepted merge requests are merged, before what follows takes them for open. */
  RECORD_MERGES: 0,
  /** Issues and merge requests follow the branches. */
  FOLLOW_BRANCHES: 1,
  NOTIFY_HOOKS: 2,
} as const;
