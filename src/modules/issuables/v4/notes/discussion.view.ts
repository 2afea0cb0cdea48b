import type { V4UserPresenter } from '../../../users/v4/index.js';
import type { Issuable } from '../../model/issuable.js';
import type { Discussion } from '../../notes/discussions.service.js';
import { presentV4Note, V4NoteView } from './note.view.js';

/** A thread of notes, or a note that stands by itself. */
export class V4DiscussionView {
  /** 40 hexadecimal digits. */
  id!: string;
  /** Whether it is a note that stands by itself. */
  individual_note!: boolean;
  /** The oldest first. */
  notes!: V4NoteView[];
}

export const presentDiscussion = (
  { id, isIndividual, notes }: Discussion,
  target: Pick<Issuable, 'iid'>,
  users: V4UserPresenter,
): V4DiscussionView => ({
  id,
  individual_note: isIndividual,
  notes: notes.map((note) => presentV4Note(note, target, users)),
});
