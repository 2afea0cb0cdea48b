import type { V4UserBasicView } from '../../users/v4/index.js';
import type { TargetNote } from '../event-targets.js';

/** A comment, as events on it have it. */
export class V4EventNoteView {
  id!: number;
  /** `DiscussionNote` in a thread, `DiffNote` in one on a line; null by itself. */
  type!: string | null;
  body!: string;
  /** Always null. */
  attachment!: string | null;
  author!: V4UserBasicView;
  created_at!: Date;
  updated_at!: Date;
  /** Always false: what the service wrote has no event. */
  system!: boolean;
  /** Of the issue or merge request; null on commits. */
  noteable_id!: number | null;
  /** `Issue`, `MergeRequest` or `Commit`. */
  noteable_type!: string;
  project_id!: number;
  /** Whether its thread can be resolved. */
  resolvable!: boolean;
  /** Always false. */
  confidential!: boolean;
  /** Always false. */
  internal!: boolean;
  /** Always false. */
  imported!: boolean;
  /** Always `none`. */
  imported_from!: string;
  /** Number of the issue or merge request in its project; null on commits. */
  noteable_iid!: number | null;
  /** Always empty. */
  commands_changes!: object;
}

/**
 * Presents a note, of an event or by itself.
 * @param noteableIid the number of the issue or merge request in its project; null on commits
 */
export const presentNote = <Id extends number | null, Iid extends number | null>(
  note: Omit<TargetNote, 'authorId' | 'noteableId'> & { noteableId: Id },
  author: V4UserBasicView,
  projectId: number,
  noteableIid: Iid,
) => ({
  id: note.id,
  type: note.type,
  body: note.body,
  attachment: null,
  author,
  created_at: note.createdAt,
  updated_at: note.updatedAt,
  system: note.system,
  noteable_id: note.noteableId,
  noteable_type: note.noteableType,
  project_id: projectId,
  resolvable: note.resolvable,
  confidential: false,
  internal: false,
  imported: false,
  imported_from: 'none',
  noteable_iid: noteableIid,
  commands_changes: {},
});
