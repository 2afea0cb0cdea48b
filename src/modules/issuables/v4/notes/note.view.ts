import { presentNote } from '../../../feeds/v4/index.js';
import { type V4UserPresenter, V4UserBasicView } from '../../../users/v4/index.js';
import type { Issuable } from '../../model/issuable.js';
import type { AuthoredNote } from '../../notes/notes.repository.js';

/** A note on an issue or merge request. */
export class V4NoteView {
  id!: number;
  /** Always null: notes have no positions. */
  type!: string | null;
  body!: string;
  /** Always null. */
  attachment!: string | null;
  author!: V4UserBasicView;
  created_at!: Date;
  updated_at!: Date;
  /** Whether the service wrote it. */
  system!: boolean;
  /** Of the issue or merge request. */
  noteable_id!: number;
  /** `Issue` or `MergeRequest`. */
  noteable_type!: string;
  project_id!: number;
  /** Whether its thread can be resolved: never. */
  resolvable!: boolean;
  /** Always false: notes are as public as what they are on. */
  confidential!: boolean;
  /** The same as `confidential`. */
  internal!: boolean;
  /** Always false. */
  imported!: boolean;
  /** Always `none`. */
  imported_from!: string;
  /** Number of the issue or merge request in its project. */
  noteable_iid!: number;
  /** Always empty. */
  commands_changes!: object;
}

export const presentV4Note = (
  { note, author }: AuthoredNote,
  target: Pick<Issuable, 'iid'>,
  users: V4UserPresenter,
): V4NoteView => presentNote(note, users.basic(author), note.projectId, target.iid);
