import { assertValid, type FieldProblem } from '../../../platform/errors/index.js';
import { allows, type ProjectAccess } from '../../authorization/index.js';
import type { TriageInput } from '../../issuables/index.js';
import type { User } from '../../users/index.js';
import type { LocatedMergeRequest } from '../model/merge-requests.repository.js';
import type { SourceBranchRemoval } from '../model/source-branch-removal.js';
import type { StateEvent } from './merge-request-change.js';

export interface CreateMergeRequestInput extends TriageInput {
  sourceBranch: string;
  targetBranch: string;
  /** Default: the source project. */
  targetProjectId?: number | undefined;
  title: string;
  description?: string | undefined;
  removeSourceBranch: SourceBranchRemoval;
  /** Whether the merge is to squash. Default: as the squash option of the target project says. */
  squash?: boolean | undefined;
}

/** Absent fields stay as they are, null clears them. */
export interface UpdateMergeRequestInput extends TriageInput {
  title?: string | undefined;
  description?: string | null | undefined;
  targetBranch?: string | undefined;
  removeSourceBranch?: boolean | undefined;
  squash?: boolean | undefined;
  discussionLocked?: boolean | undefined;
  stateEvent?: StateEvent | undefined;
}

/** @throws DomainError invalid fields (docs/reference/conventions.md#required-parameters) */
export function assertPresent({
  title,
  sourceBranch,
  targetBranch,
}: CreateMergeRequestInput): void {
  const blankProblems = (value: string): FieldProblem[] =>
    value.trim() === '' ? [{ rule: 'blank' }] : [];
  assertValid({
    sourceBranch: blankProblems(sourceBranch),
    targetBranch: blankProblems(targetBranch),
    title: blankProblems(title),
  });
}

/** Drops labels, milestone, assignees and reviewers for callers who may not set them. */
export function permittedTriage(access: ProjectAccess, input: TriageInput): TriageInput {
  if (!allows(access, 'merge-request:triage')) return {};
  const { assigneeIds, firstAssigneeId, reviewerIds, milestoneId } = input;
  const { labels, addLabels, removeLabels } = input;
  const people = { assigneeIds, firstAssigneeId, reviewerIds };
  return { ...people, milestoneId, labels, addLabels, removeLabels };
}

/** Drops the lock of discussions for callers who may not set it. */
export const lockOf = (
  access: ProjectAccess,
  { discussionLocked }: UpdateMergeRequestInput,
): Partial<LocatedMergeRequest> =>
  discussionLocked === undefined || !allows(access, 'merge-request:triage')
    ? {}
    : { discussionLocked };

/**
 * Applies title, description, target branch and squash; a merged request keeps the last two. While a request waits for its
 * build, squash is the choice of the user in whose name it is merged.
 */
export function withTexts(
  before: LocatedMergeRequest,
  { title, description, targetBranch, squash }: UpdateMergeRequestInput,
  { id: callerId }: User,
): LocatedMergeRequest {
  const isMerged = before.state === 'merged';
  const isChosen = before.mergeWhenBuildSucceeds && before.mergeUserId !== callerId;
  return {
    ...before,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(targetBranch === undefined || isMerged ? {} : { targetBranch }),
    ...(squash === undefined || isMerged || isChosen ? {} : { squash }),
  };
}
