import type { IssueField } from '../issue.events.js';
import type { LocatedIssue } from '../issues.repository.js';
import type { Change } from './change-texts.js';

/** Where the parts of an issue's row are. */
const COLUMNS: readonly (readonly [IssueField, keyof LocatedIssue])[] = [
  ['title', 'title'],
  ['description', 'description'],
  ['confidential', 'confidential'],
  ['assignee', 'assigneeId'],
  ['milestone', 'milestoneId'],
  ['due_date', 'dueDate'],
];

/**
 * Whoever changes one of these has dealt with what was on their list
 * (docs/reference/todos.md#when-todos-are-done).
 */
export const FINISHING_FIELDS: ReadonlySet<IssueField> = new Set<IssueField>([
  'title',
  'description',
  'assignee',
  'milestone',
  'labels',
]);

/** What a change makes other than it was, its state left out. @param updatedAt where that was given */
export function changedFields(
  { before, after, labels }: Change,
  updatedAt: Date | undefined,
): IssueField[] {
  const relabelled = labels !== undefined && labels.added.length + labels.removed.length > 0;
  const retimed = updatedAt !== undefined && updatedAt.getTime() !== before.updatedAt.getTime();
  return [
    ...COLUMNS.flatMap(([field, column]) => (before[column] === after[column] ? [] : [field])),
    ...(relabelled ? (['labels'] as const) : []),
    ...(retimed ? (['updated_at'] as const) : []),
  ];
}
