import { UserSummaryView } from '../../users/v3/index.js';
import type { TargetNote } from '../event-targets.js';

/** A comment (docs/reference/notes.md#the-note-object). */
export class NoteView {
  id!: number;
  body!: string;
  /** Always null. */
  attachment!: string | null;
  author!: UserSummaryView;
  created_at!: Date;
  updated_at!: Date;
  /** Whether the service wrote it. */
  system!: boolean;
  /** Of the issue or merge request; null on commits. */
  noteable_id!: number | null;
  /** `Issue`, `MergeRequest` or `Commit`. */
  noteable_type!: string;
  /** Always false. */
  upvote!: boolean;
  /** Always false. */
  downvote!: boolean;
}

/** Presents a comment, for feeds and lists of comments. */
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
