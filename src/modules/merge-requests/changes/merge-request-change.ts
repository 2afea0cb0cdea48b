import {
  assigneeTexts,
  labelTexts,
  lockTexts,
  milestoneText,
  reviewerTexts,
  titleText,
  type TriageChange,
} from '../../issuables/index.js';
import type { LocatedMergeRequest } from '../model/merge-requests.repository.js';
import { isOpen, isWorkInProgress, withoutMarker } from '../model/merge-request.entity.js';
import type { MergeRequestField } from '../model/merge-request.events.js';

/** A merge request before and after a change, and the rows that it refers to since. */
export interface MergeRequestChange extends TriageChange {
  before: LocatedMergeRequest;
  after: LocatedMergeRequest;
}

/**
 * The `state_event` of an update. `merge` is accepted and has no effect
 * (docs/reference/merge-requests.md#put-projectsidmerge_requestsmerge_request_id).
 */
export type StateEvent = 'close' | 'reopen' | 'merge';

/**
 * The columns of a request that does not wait for its build
 * (docs/reference/merge-requests.md#merging-when-the-build-succeeds).
 */
export const NO_AUTOMATIC_MERGE = {
  mergeWhenBuildSucceeds: false,
  mergesWithoutBuild: false,
  mergeUserId: null,
  mergeCommitMessage: null,
  squashCommitMessage: null,
  shouldRemoveSourceBranch: false,
  shouldRemoveGiven: false,
} as const;

/** Returns a request after a state event: only open requests are closed, only closed ones reopened. */
export function applyStateEvent(
  mergeRequest: LocatedMergeRequest,
  event: StateEvent | undefined,
): LocatedMergeRequest {
  if (event === 'close' && isOpen(mergeRequest)) {
    return { ...mergeRequest, ...NO_AUTOMATIC_MERGE, state: 'closed' };
  }
  if (event === 'reopen' && mergeRequest.state === 'closed') {
    return { ...mergeRequest, state: 'reopened' };
  }
  return mergeRequest;
}

export const isReopened = ({ before, after }: MergeRequestChange): boolean =>
  !isOpen(before) && isOpen(after);

export const isClosed = ({ before, after }: MergeRequestChange): boolean =>
  isOpen(before) && !isOpen(after);

export const isRetargeted = ({ before, after }: MergeRequestChange): boolean =>
  before.targetBranch !== after.targetBranch;

/** The fields of a merge request with the columns that store them. */
const FIELD_COLUMNS: readonly (readonly [MergeRequestField, ...(keyof LocatedMergeRequest)[]])[] = [
  ['title', 'title'],
  ['description', 'description'],
  ['targetBranch', 'targetBranch'],
  ['assignees', 'assigneeIds'],
  ['reviewers', 'reviewerIds'],
  ['milestone', 'milestoneId'],
  ['removeSourceBranch', 'forceRemoveSourceBranch', 'forceRemoveGiven', 'forceRemoveById'],
  ['squash', 'squash'],
  ['discussionLocked', 'discussionLocked'],
];

/** Returns the fields that a change gives another value; the state is not one of them. */
export function changedFields({ before, after, labels }: MergeRequestChange): MergeRequestField[] {
  const relabelled = labels !== undefined && labels.added.length + labels.removed.length > 0;
  return [
    ...FIELD_COLUMNS.flatMap(([field, ...columns]) =>
      columns.every((column) => before[column] === after[column]) ? [] : [field],
    ),
    ...(relabelled ? (['labels'] as const) : []),
  ];
}

/** Returns the texts of the system notes of a change, one per field (docs/reference/notes.md#system-notes). */
export function systemNoteTexts(change: MergeRequestChange): string[] {
  const { before, after, assignees, reviewers, milestone } = change;
  const changed = (field: keyof LocatedMergeRequest) => before[field] !== after[field];
  return [
    ...titleTexts(before.title, after.title),
    ...(isRetargeted(change) ? [targetText(before, after)] : []),
    ...assigneeTexts(before.assigneeIds, assignees),
    ...reviewerTexts(reviewers),
    ...(changed('milestoneId') ? [milestoneText(milestone)] : []),
    ...labelTexts(change.labels),
    ...lockTexts('merge request', before, after),
    ...(changed('state') ? [after.state] : []),
  ];
}

/** Notes a changed work in progress marker separately, and the rest of the title only if it changed as well. */
function titleTexts(before: string, after: string): string[] {
  const [wasMarked, isMarked] = [isWorkInProgress(before), isWorkInProgress(after)];
  const isOther =
    wasMarked === isMarked ? before !== after : withoutMarker(before) !== withoutMarker(after);
  return [
    ...(isMarked && !wasMarked ? ['marked as a **Work In Progress**'] : []),
    ...(wasMarked && !isMarked ? ['unmarked as a Work In Progress'] : []),
    ...(isOther ? [titleText(before, after)] : []),
  ];
}

const targetText = (before: LocatedMergeRequest, after: LocatedMergeRequest): string =>
  `changed target branch from \`${before.targetBranch}\` to \`${after.targetBranch}\``;
