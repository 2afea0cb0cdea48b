import type { Oid } from '../../../git/index.js';
import { DomainEvent } from '../../activity/index.js';
import type { PushedRefs } from './payloads/push-payload.js';

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
 * A push, by a git client or the API, has created, moved or deleted refs. Published once, in the unit of work
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
    /** Refs of every kind, as feeds and hooks show them. */
    readonly refs: PushedRefs,
  ) {}
}

/**
 * The order of subscribers to `PushRecorded`. Issues and merge requests are locked before the project, which
 * recording the activity locks.
 */
export const PushPhase = {
  /** Issues and merge requests follow the branches. */
  FOLLOW_BRANCHES: 0,
  RECORD_ACTIVITY: 1,
  NOTIFY_HOOKS: 2,
} as const;
