import type { Oid } from '../../../git/index.js';
import type { PushPayload } from './push-payloads.js';

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

/** Branches were pushed. Published in the unit of work that records it, with the push lock held. */
export class BranchesPushed {
  constructor(
    readonly projectId: number,
    /** Who pushed. */
    readonly userId: number,
    readonly branches: readonly PushedBranch[],
  ) {}
}

/** Branches were deleted, by a push or through the API. Published like `BranchesPushed`, before it. */
export class BranchesDeleted {
  constructor(
    readonly projectId: number,
    /** Who deleted them. */
    readonly userId: number,
    /** Their names, without `refs/heads/`. */
    readonly names: readonly string[],
    /** The names of those that the same push has made or moved, which are told of next. */
    readonly moved: readonly string[],
  ) {}
}

/**
 * A push has made, moved or deleted refs of whatever kind. Published in the unit of work that records it,
 * with the push lock held; several times where there are very many.
 */
export class RefsPushed {
  constructor(
    readonly projectId: number,
    /** Who pushed. */
    readonly userId: number,
    /** What the feeds tell of each. */
    readonly refs: readonly PushPayload[],
  ) {}
}
