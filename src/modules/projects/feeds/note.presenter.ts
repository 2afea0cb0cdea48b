import type { UserSummaryView } from '../../users/index.js';
import type { TargetNote } from './event-targets.js';
import type { NoteView } from './event.view.js';

/** A comment, as feeds and lists of comments show it (docs/reference/notes.md#the-note-object). */
export const presentNote = (note: TargetNote, author: UserSummaryView): NoteView => ({
  id: note.id,
  body: note.body,
  attachment: null,
  author,
  created_at: note.createdAt,
  updated_at: note.updatedAt,
  system: note.system,
  noteable_id: note.noteableId,
  noteable_type: note.noteableType,
  upvote: false,
  downvote: false,
});
