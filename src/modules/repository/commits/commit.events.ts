import { DomainEvent } from '../../activity/index.js';
import type { CombinedState, StatusState } from './statuses/status.rules.js';

/** A commit was commented on. Published in the unit of work that writes the comment. */
@DomainEvent()
export class CommitCommented {
  constructor(
    readonly projectId: number,
    readonly commentId: number,
  ) {}
}

/**
 * A commit status was created or changed its state. Published in the unit of work that writes the status and
 * locks its pipeline.
 */
@DomainEvent()
export class CommitStatusChanged {
  constructor(
    readonly projectId: number,
    /** The full hash. */
    readonly sha: string,
    readonly ref: string,
    readonly change: {
      statusId: number;
      name: string;
      /** Null for a new one. */
      from: StatusState | null;
      to: StatusState;
      /** State of the finished status of the same name that a new one follows. */
      follows: StatusState | null;
      /** The user who posted it. */
      userId: number;
    },
    /** The combined status of the commit and ref, before and after. */
    readonly combined: { from: CombinedState | null; to: CombinedState | null },
    /** False if the project had no hooks when the request came. */
    readonly hasHooks = true,
  ) {}
}
