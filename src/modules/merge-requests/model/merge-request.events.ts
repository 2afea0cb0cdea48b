import { DomainEvent } from '../../../platform/events/index.js';
import type { TriageChange } from '../../issuables/index.js';
import type { MergeRequest } from './merge-request.entity.js';

/**
 * What happens to the approvals of a merge request. Somebody has approved it: `approved` if it has all that the project
 * requires then, else `approval`. Somebody has withdrawn that: `unapproved` if it had all before, else `unapproval`.
 */
const APPROVAL_ACTIONS = ['approved', 'approval', 'unapproved', 'unapproval'] as const;
type ApprovalAction = (typeof APPROVAL_ACTIONS)[number];

/** Whether an action is about approvals. */
export const isApprovalAction = (action: MergeRequestAction): boolean =>
  APPROVAL_ACTIONS.some((one) => one === action);

/** The action of a hook (docs/reference/hooks.md#merge-requests). `merge`: accepted, or merged by a push. */
export type MergeRequestAction = 'open' | 'close' | 'reopen' | 'update' | 'merge' | ApprovalAction;

/** The fields of a merge request that an update can change. */
export type MergeRequestField =
  | 'title'
  | 'description'
  | 'targetBranch'
  | 'assignees'
  | 'reviewers'
  | 'milestone'
  | 'labels'
  | 'removeSourceBranch'
  | 'squash'
  | 'discussionLocked';

/** The details of the action `update`. */
interface MergeRequestUpdate {
  /** The fields with another value; none when the update changed nothing. */
  readonly fields?: readonly MergeRequestField[];
  /** The merge request as it was before these fields changed. */
  readonly before?: Omit<MergeRequest, 'deletedAt'>;
  readonly labels?: TriageChange['labels'];
  /** The previous head, when the source branch was pushed to. */
  readonly oldHead?: string;
}

/**
 * A merge request was created or changed. Published in the unit of work that writes the change, after all other
 * writes. One API request may publish a change of state and then an `update`.
 */
@DomainEvent()
export class MergeRequestChanged {
  constructor(
    /** The target project. */
    readonly projectId: number,
    readonly mergeRequestId: number,
    /** The user who made the change. */
    readonly actorId: number,
    readonly action: MergeRequestAction,
    readonly update: MergeRequestUpdate = {},
  ) {}
}
