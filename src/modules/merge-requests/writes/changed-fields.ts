import type { MergeRequestField } from '../merge-request.events.js';
import type { LocatedMergeRequest } from '../merge-requests.repository.js';
import type { Change } from './change-texts.js';

/** Where the parts of a merge request's row are. */
const COLUMNS: readonly (readonly [MergeRequestField, keyof LocatedMergeRequest])[] = [
  ['title', 'title'],
  ['description', 'description'],
  ['target_branch', 'targetBranch'],
  ['assignee', 'assigneeId'],
  ['milestone', 'milestoneId'],
  ['remove_source_branch', 'forceRemoveSourceBranch'],
];

/** What a change makes other than it was, its state left out. */
export function changedFields({ before, after, labels }: Change): MergeRequestField[] {
  const relabelled = labels !== undefined && labels.added.length + labels.removed.length > 0;
  return [
    ...COLUMNS.flatMap(([field, column]) => (before[column] === after[column] ? [] : [field])),
    ...(relabelled ? (['labels'] as const) : []),
  ];
}

/**
 * Whether whoever changed these has dealt with what was on their list
 * (docs/reference/todos.md#when-todos-are-done).
 */
export const areFinishing = (fields: readonly MergeRequestField[]): boolean =>
  fields.some((field) => field !== 'remove_source_branch');
