import striptags from 'striptags';
import { invalidRecord } from '../../../platform/errors/index.js';
import type { ProjectRef, Subject } from '../../access/index.js';
import type { Issuable, IssuableType } from './issuable.js';

const MAX_TITLE = 255;
/** The most characters of a description or note. */
export const LONGEST_TEXT = 1024 * 1024;
/** Each unknown name creates a label. */
const MAX_LABELS = 500;

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

/** Whether a user is the author or the assignee of an issue or merge request. */
export function takesPart(
  { authorId, assigneeId }: Pick<Issuable, 'authorId' | 'assigneeId'>,
  subject: Subject,
): boolean {
  return subject !== null && (authorId === subject.id || assigneeId === subject.id);
}

/** The fields of an issue or merge request that are validated (docs/reference/issues.md#the-issue-object). */
interface ValidatedFields {
  title?: string | undefined;
  description?: string | null | undefined;
  labels?: readonly string[] | undefined;
}

/** Validates the given fields. @throws DomainError invalid record, with all errors */
export function assertFields({ title, description, labels = [] }: ValidatedFields): void {
  const errors = invalidFields({
    title: title === undefined ? [] : titleErrors(title),
    description: descriptionErrors(description ?? null),
    labels: labels.length > MAX_LABELS ? [`are too many (maximum is ${String(MAX_LABELS)})`] : [],
  });
  if (errors !== null) throw invalidRecord(errors);
}

/** Removes HTML tags and surrounding white space from the name of a label or the title of a milestone. */
export const plainName = (text: string): string => striptags(text).trim();

/** Lists the errors of the title of an issue, merge request or milestone (docs/reference/issues.md#the-issue-object). */
export function titleErrors(title: string): string[] {
  return title.trim() === '' ? ["can't be blank"] : lengthErrors(title.trim(), MAX_TITLE);
}

/** Lists the errors of a description. @param maximum in characters */
export function descriptionErrors(
  description: string | null,
  maximum: number = LONGEST_TEXT,
): string[] {
  return description === null ? [] : lengthErrors(description, maximum);
}

/** Returns the fields that have errors, as the body of a refusal; null if none has. */
export function invalidFields(fields: Record<string, string[]>): Record<string, string[]> | null {
  const invalid = Object.entries(fields).filter(([, texts]) => texts.length > 0);
  return invalid.length === 0 ? null : Object.fromEntries(invalid);
}

function lengthErrors(text: string, maximum: number): string[] {
  // A character has one UTF-16 unit or two, so that few texts have to be counted.
  const isTooLong =
    text.length > 2 * maximum || (text.length > maximum && [...text].length > maximum);
  return isTooLong ? [`is too long (maximum is ${String(maximum)} characters)`] : [];
}
