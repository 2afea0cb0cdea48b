import {
  assigneeText,
  labelTexts,
  milestoneText,
  titleText,
  type TriageChange,
} from '../../issuables/index.js';
import type { LocatedIssue } from '../issues.repository.js';

/** What an issue was, what it is, and the rows that it refers to since. */
export interface Change extends TriageChange {
  before: LocatedIssue;
  after: LocatedIssue;
  /** What closed it, where that was no request: `commit …`, `merge request !5`. */
  via?: string | undefined;
}

/**
 * The texts of the notes that tell of a change, one for each thing that changed
 * (docs/reference/notes.md#system-notes).
 */
export function changeTexts(change: Change): string[] {
  const { before, after, assignee, milestone } = change;
  const changed = (field: keyof LocatedIssue) => before[field] !== after[field];
  return [
    ...(changed('title') ? [titleText(before.title, after.title)] : []),
    ...(changed('assigneeId') ? [assigneeText(assignee)] : []),
    ...(changed('milestoneId') ? [milestoneText(milestone)] : []),
    ...labelTexts(change.labels),
    ...(changed('confidential') ? [confidentialityText(after)] : []),
    ...(changed('state') ? [stateText(change)] : []),
  ];
}

const confidentialityText = ({ confidential }: LocatedIssue): string =>
  confidential ? 'made the issue confidential' : 'made the issue visible to everyone';

function stateText({ after, via }: Change): string {
  const text = after.state === 'closed' ? 'closed' : 'reopened';
  return via === undefined ? text : `${text} via ${via}`;
}
