import { MIB } from '../../../platform/limits/index.js';
import { beginningOf, discussionIdFor } from '../../repository/index.js';
import type { DiffPosition, Note, NoteType } from './note.entity.js';

/** The most notes of a thread: a page of threads shows all of them. */
export const NOTES_PER_THREAD = 200;
/** The most bytes of their texts, all of which are in memory at once. */
export const BYTES_PER_THREAD = 4 * MIB;

/** A thread as its first note begins it. */
export interface BegunThread {
  readonly type: NoteType;
  readonly position: DiffPosition | null;
  readonly originalPosition: DiffPosition | null;
  readonly outdated: boolean;
}

/** A thread of notes without a position. */
export const PLAIN_THREAD: BegunThread = {
  type: 'DiscussionNote',
  position: null,
  originalPosition: null,
  outdated: false,
};

/** Begins a thread at a line, a picture or a file. */
export const threadAt = (position: DiffPosition): BegunThread => ({
  type: 'DiffNote',
  position,
  originalPosition: position,
  outdated: false,
});

/** Returns the ID of the discussion that a note began. */
export const discussionIdOf = (noteId: number): string => discussionIdFor('note', noteId);

/** Returns the ID of the note that began a discussion; null if no discussion has the ID. */
export const firstNoteOf = (discussionId: string): number | null =>
  beginningOf('note', discussionId);

/** Whether a note can be resolved: those of threads on merge requests, which the service did not write. */
export const isResolvable = ({
  noteableType,
  type,
  system,
}: Pick<Note, 'noteableType' | 'type' | 'system'>): boolean =>
  noteableType === 'MergeRequest' && type !== null && !system;

/** Whether a thread is resolved: all its notes are. */
export function isResolved(notes: readonly Note[]): boolean {
  const resolvable = notes.filter(isResolvable);
  return resolvable.length > 0 && resolvable.every(({ resolvedAt }) => resolvedAt !== null);
}
