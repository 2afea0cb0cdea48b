import type { Oid } from '../../../git/index.js';
import { DomainEvent } from '../../activity/index.js';
import type { PushedRefs } from './pushed-refs.js';

/** A branch that a push has made or moved. */
export interface PushedBranch {
  /** Without `refs/heads/`. */
  readonly name: string;
  /** Null for a new branch. */
  readonly before: Oid | null;
  readonly after: Oid;
  /** Whether it is the default branch, be it since this very push. */
  readonly isDefault: boolean;
  /**
   * The newest commits that it has got, the newest first: 100; 20 of a branch that is not the default one in a push of more
   * than 100 branches.
   */
  readonly newest: readonly Oid[];
}

/**
 * A push, from a git client or by the API, has made, moved or deleted refs. Published once, in the unit of
 * work that records it, with the push lock held. Subscribers keep to the phases of `PushPhase`.
 */
@DomainEvent()
export class PushRecorded {
  constructor(
    readonly projectId: number,
    /** Who pushed. */
    readonly userId: number,
    /** The branches that were made or moved. */
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
