import type { Subject } from '../access/index.js';
import type { Issuable } from './issuable.js';

/** Whether somebody wrote an issue or merge request, or is to work on it. */
export function takesPart(
  { authorId, assigneeId }: Pick<Issuable, 'authorId' | 'assigneeId'>,
  subject: Subject,
): boolean {
  return subject !== null && (authorId === subject.id || assigneeId === subject.id);
}
