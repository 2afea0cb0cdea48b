import type { Commit } from '../../../git/index.js';
import { shortId, storable, titleOf } from '../../repository/index.js';

/** So many of the newest are named. */
export const NAMED_COMMITS = 100;

const MAX_TITLE = 500;

/**
 * What is noted of commits that were pushed to a source branch
 * (docs/reference/notes.md#system-notes), the oldest first.
 * @param newest the newest of them first
 */
export function pushedCommitsNote(newest: readonly Commit[], total: number): string {
  const lines = newest.map(
    ({ oid, message }) => `* ${shortId(oid)} - ${storable(titleOf(message), MAX_TITLE)}`,
  );
  return [`added ${String(total)} ${total === 1 ? 'commit' : 'commits'}`, ...lines.reverse()].join(
    '\n',
  );
}
