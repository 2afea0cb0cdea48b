import { DomainEvent } from '../../activity/index.js';
import type { CombinedState } from './combined-status.js';
import type { StatusState } from './status-states.js';

/**
 * A commit status was made or went to another state. Published in the unit of work that writes it,
 * while nobody else changes a status of the same commit and ref.
 */
@DomainEvent()
export class CommitStatusChanged {
  constructor(
    readonly projectId: number,
    /** The whole hash. */
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
      /** Who posted it. */
      userId: number;
    },
    /** The combined status of the commit and ref, before and after. */
    readonly combined: { from: CombinedState | null; to: CombinedState | null },
  ) {}
}
