import type { Commit, DiffEntry } from '../../../git/index.js';
import { DomainEvent } from '../../../platform/events/index.js';
import type { EventProject } from '../../authorization/index.js';
import type { CombinedState, StatusState } from './statuses/status.rules.js';

/** What a comment is on, as git shows it. */
export interface CommentedCommit {
  readonly commit: Commit;
  /** The changes of the file that the comment is on a line of; null for a comment on the commit as a whole. */
  readonly file: DiffEntry | null;
}

/**
 * A commit was commented on. Published in the unit of work that writes the comment; what git has to be asked for was read
 * before.
 */
@DomainEvent()
export class CommitCommented {
  constructor(
    readonly projectId: number,
    readonly commentId: number,
    readonly commented: CommentedCommit,
  ) {}
}

/**
 * A commit status was created or changed its state. Published in the unit of work that writes the status and
 * locks its pipeline.
 */
@DomainEvent()
export class CommitStatusChanged {
  constructor(
    readonly project: EventProject,
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
  ) {}

  get projectId(): number {
    return this.project.id;
  }
}
