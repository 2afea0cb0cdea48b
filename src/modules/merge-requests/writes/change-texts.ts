import {
  assigneeText,
  labelTexts,
  milestoneText,
  titleText,
  type TriageChange,
} from '../../issuables/index.js';
import type { LocatedMergeRequest } from '../merge-requests.repository.js';
import { isWorkInProgress, withoutMarker } from '../work-in-progress.js';

/** What a merge request was, what it is, and the rows that it refers to since. */
export interface Change extends TriageChange {
  before: LocatedMergeRequest;
  after: LocatedMergeRequest;
}

/**
 * The texts of the notes that tell of a change, one for each thing that changed
 * (docs/reference/notes.md#system-notes).
 */
export function changeTexts(change: Change): string[] {
  const { before, after, assignee, milestone } = change;
  const changed = (field: keyof LocatedMergeRequest) => before[field] !== after[field];
  return [
    ...titleTexts(before.title, after.title),
    ...(changed('targetBranch') ? [targetText(before, after)] : []),
    ...(changed('assigneeId') ? [assigneeText(assignee)] : []),
    ...(changed('milestoneId') ? [milestoneText(milestone)] : []),
    ...labelTexts(change.labels),
    ...(changed('state') ? [after.state] : []),
  ];
}

/** The marker of unfinished work is told of by itself; the rest of the title only when it changed. */
function titleTexts(before: string, after: string): string[] {
  const [was, is] = [isWorkInProgress(before), isWorkInProgress(after)];
  const isOther = was === is ? before !== after : withoutMarker(before) !== withoutMarker(after);
  return [
    ...(is && !was ? ['marked as a **Work In Progress**'] : []),
    ...(was && !is ? ['unmarked as a Work In Progress'] : []),
    ...(isOther ? [titleText(before, after)] : []),
  ];
}

const targetText = (before: LocatedMergeRequest, after: LocatedMergeRequest): string =>
  `changed target branch from \`${before.targetBranch}\` to \`${after.targetBranch}\``;
