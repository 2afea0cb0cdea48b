import { allows, type ProjectAccess } from '../../authorization/index.js';
import {
  assigneeTexts,
  type FollowedUp,
  labelTexts,
  lockTexts,
  milestoneText,
  titleText,
  type TriageChange,
  type Triaged,
  type TriageInput,
} from '../../issuables/index.js';
import type { IssueField } from './issue.events.js';
import type { LocatedIssue } from './issues.repository.js';

/** The input of a creation. */
export interface CreateIssueInput extends TriageInput {
  title: string;
  description?: string | undefined;
  confidential?: boolean | undefined;
  /** A day, `YYYY-MM-DD`. */
  dueDate?: string | null | undefined;
  createdAt?: Date | undefined;
  /** A merge request in the project; one that does not exist is ignored. */
  followUpOf?: FollowedUp | undefined;
}

/** The input of an update. An absent field keeps its value; null clears it. */
export interface UpdateIssueInput extends TriageInput {
  title?: string | undefined;
  description?: string | null | undefined;
  confidential?: boolean | undefined;
  discussionLocked?: boolean | undefined;
  /** A day, `YYYY-MM-DD`. */
  dueDate?: string | null | undefined;
  stateEvent?: 'close' | 'reopen' | undefined;
  /** Now if absent. */
  updatedAt?: Date | undefined;
}

/** An issue before and after a change, with the rows that it refers to now. */
export interface IssueChange extends TriageChange {
  before: LocatedIssue;
  after: LocatedIssue;
  /** What closed it, unless that was an update: `commit …`, `merge request !5`. */
  via?: string | undefined;
}

const COLUMNS: readonly (readonly [IssueField, keyof LocatedIssue])[] = [
  ['title', 'title'],
  ['description', 'description'],
  ['confidential', 'confidential'],
  ['discussionLocked', 'discussionLocked'],
  ['assignees', 'assigneeIds'],
  ['milestone', 'milestoneId'],
  ['dueDate', 'dueDate'],
];

/** The fields whose change makes the caller's todo done (docs/reference/todos.md#when-todos-are-done). */
const FINISHING_FIELDS: ReadonlySet<IssueField> = new Set<IssueField>([
  'title',
  'description',
  'assignees',
  'milestone',
  'labels',
]);

/** Returns the part of the input that the caller is permitted to set. */
export function permittedUpdate(access: ProjectAccess, input: UpdateIssueInput): UpdateIssueInput {
  const { title, description, confidential, stateEvent, updatedAt, ...triage } = input;
  return {
    title: title?.trim(),
    description,
    confidential,
    stateEvent,
    ...(allows(access, 'issue:triage') ? triage : {}),
    ...(allows(access, 'issue:set-times') ? { updatedAt } : {}),
  };
}

/** Returns the issue with the fields of the input. */
export function applyUpdate(
  before: LocatedIssue,
  { title, description, confidential, discussionLocked, dueDate, stateEvent }: UpdateIssueInput,
  { assignees, milestone }: Pick<Triaged, 'assignees' | 'milestone'>,
): LocatedIssue {
  return {
    ...before,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(confidential === undefined ? {} : { confidential }),
    ...(discussionLocked === undefined ? {} : { discussionLocked }),
    ...(dueDate === undefined ? {} : { dueDate }),
    ...(stateEvent === undefined ? {} : { state: stateEvent === 'close' ? 'closed' : 'opened' }),
    ...(assignees === undefined ? {} : { assigneeIds: assignees.ids }),
    ...(milestone === undefined ? {} : { milestoneId: milestone?.id ?? null }),
  };
}

/** Lists the fields that a change has changed, without the state. @param updatedAt if it was given */
export function changedFields(
  { before, after, labels }: IssueChange,
  updatedAt: Date | undefined,
): IssueField[] {
  const hasOtherLabels = labels !== undefined && labels.added.length + labels.removed.length > 0;
  const hasOtherTime =
    updatedAt !== undefined && updatedAt.getTime() !== before.updatedAt.getTime();
  return [
    ...COLUMNS.flatMap(([field, column]) => (before[column] === after[column] ? [] : [field])),
    ...(hasOtherLabels ? (['labels'] as const) : []),
    ...(hasOtherTime ? (['updatedAt'] as const) : []),
  ];
}

/** Whether a change makes the caller's todo done. */
export function finishesTodo(
  { before, after }: IssueChange,
  fields: readonly IssueField[],
): boolean {
  const isClosed = before.state !== after.state && after.state === 'closed';
  return isClosed || fields.some((field) => FINISHING_FIELDS.has(field));
}

/** Returns the texts of the system notes about a change, one per field (docs/reference/notes.md#system-notes). */
export function changeTexts(change: IssueChange): string[] {
  const { before, after, assignees, milestone } = change;
  const isChanged = (field: keyof LocatedIssue) => before[field] !== after[field];
  return [
    ...(isChanged('title') ? [titleText(before.title, after.title)] : []),
    ...assigneeTexts(before.assigneeIds, assignees),
    ...(isChanged('milestoneId') ? [milestoneText(milestone)] : []),
    ...labelTexts(change.labels),
    ...(isChanged('confidential') ? [confidentialityText(after)] : []),
    ...lockTexts('issue', before, after),
    ...(isChanged('state') ? [stateText(change)] : []),
  ];
}

const confidentialityText = ({ confidential }: LocatedIssue): string =>
  confidential ? 'made the issue confidential' : 'made the issue visible to everyone';

function stateText({ after, via }: IssueChange): string {
  const text = after.state === 'closed' ? 'closed' : 'reopened';
  return via === undefined ? text : `${text} via ${via}`;
}
