import striptags from 'striptags';
import { assertValid, type FieldProblem } from '../../../platform/errors/index.js';
import {
  allows,
  type ProjectAccess,
  type ProjectRef,
  type Subject,
} from '../../authorization/index.js';
import type { Issuable, IssuableType } from './issuable.js';

const MAX_TITLE = 255;
/** The most characters of a description or note. */
export const LONGEST_TEXT = 1024 * 1024;
/** Each unknown name creates a label. */
const MAX_LABELS = 500;
/** The most assignees, or reviewers, of an issue or merge request. */
const MAX_PEOPLE = 200;

/** Changes of some fields; absent ones keep their value. */
export type Changes<Values> = { [Field in keyof Values]?: Values[Field] | undefined };

/** Returns the fields that have a value. */
export function omitUndefined<Values extends object>(changes: Changes<Values>): Partial<Values> {
  const entries = Object.entries(changes).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<Values>;
}

/** Whether issues, or merge requests, are enabled in a project (docs/reference/projects.md#switches). */
export function isEnabled(project: ProjectRef, type: IssuableType): boolean {
  return type === 'Issue' ? project.issuesEnabled : project.mergeRequestsEnabled;
}

/** Whether a user is the author or an assignee of an issue or merge request. */
export function takesPart(
  { authorId, assigneeIds }: Pick<Issuable, 'authorId' | 'assigneeIds'>,
  subject: Subject,
): boolean {
  return subject !== null && (authorId === subject.id || assigneeIds.includes(subject.id));
}

/** Whether a caller with this access may write in the discussion of an issue or merge request. Only members write in a locked one. */
export const mayDiscuss = (
  access: ProjectAccess,
  { discussionLocked }: Pick<Issuable, 'discussionLocked'>,
): boolean => discussionLocked !== true || allows(access, 'note:write-locked');

/** The fields of an issue or merge request that are validated (docs/reference/issues.md#the-issue-object). */
interface ValidatedFields {
  title?: string | undefined;
  description?: string | null | undefined;
  labels?: readonly string[] | undefined;
  /** IDs of users, as those of reviewers. */
  assigneeIds?: readonly number[] | undefined;
  reviewerIds?: readonly number[] | undefined;
}

/** Validates the given fields. @throws DomainError invalid fields, with all problems */
export function assertFields(fields: ValidatedFields): void {
  const { title, description, labels, assigneeIds, reviewerIds } = fields;
  assertValid({
    title: title === undefined ? [] : titleProblems(title),
    description: descriptionProblems(description ?? null),
    labels: countProblems(labels, MAX_LABELS),
    assignees: countProblems(assigneeIds, MAX_PEOPLE),
    reviewers: countProblems(reviewerIds, MAX_PEOPLE),
  });
}

const countProblems = (values: readonly unknown[] = [], limit: number): FieldProblem[] =>
  values.length > limit ? [{ rule: 'too-many', limit }] : [];

/** Removes HTML tags and surrounding white space from the name of a label or the title of a milestone. */
export const plainName = (text: string): string => striptags(text).trim();

/** Lists the problems of the title of an issue, merge request or milestone (docs/reference/issues.md#the-issue-object). */
export function titleProblems(title: string): FieldProblem[] {
  return title.trim() === '' ? [{ rule: 'blank' }] : lengthProblems(title.trim(), MAX_TITLE);
}

/** Lists the problems of a description. @param maximum in characters */
export function descriptionProblems(
  description: string | null,
  maximum: number = LONGEST_TEXT,
): FieldProblem[] {
  return description === null ? [] : lengthProblems(description, maximum);
}

function lengthProblems(text: string, maximum: number): FieldProblem[] {
  // A character has one UTF-16 unit or two, so that few texts have to be counted.
  const isTooLong =
    text.length > 2 * maximum || (text.length > maximum && [...text].length > maximum);
  return isTooLong ? [{ rule: 'too-long', limit: maximum }] : [];
}
