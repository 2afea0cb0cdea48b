import { DomainEvent } from '../activity/index.js';

/**
 * What happened to a merge request (docs/reference/hooks.md#merge-requests); `merge` is by whatever
 * way it was merged.
 */
export type MergeRequestAction = 'open' | 'close' | 'reopen' | 'update' | 'merge';

/** The parts of a merge request that can be changed. */
export type MergeRequestField =
  | 'title'
  | 'description'
  | 'target_branch'
  | 'assignee'
  | 'milestone'
  | 'labels'
  | 'remove_source_branch';

/** What a change by the name of `update` tells. */
export interface MergeRequestUpdate {
  /** What is not as it was; none when all was so already. */
  readonly fields?: readonly MergeRequestField[];
  /** Where the source branch was pushed to: its head before. */
  readonly oldHead?: string;
}

/**
 * A merge request was made or changed. Published in the unit of work that writes it, after everything
 * else about the change is written; one request may publish a change of state and then an `update`.
 */
@DomainEvent()
export class MergeRequestChanged {
  constructor(
    /** The target project. */
    readonly projectId: number,
    readonly mergeRequestId: number,
    /** Whose doing it is. */
    readonly actorId: number,
    readonly action: MergeRequestAction,
    readonly update: MergeRequestUpdate = {},
  ) {}
}
