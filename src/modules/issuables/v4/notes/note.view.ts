import { presentNote } from '../../../feeds/v4/index.js';
import { type V4UserPresenter, V4UserBasicView } from '../../../users/v4/index.js';
import type { Issuable } from '../../model/issuable.js';
import type { DiffPosition, RangeEnd } from '../../notes/note.entity.js';
import type { AuthoredNote } from '../../notes/notes.repository.js';
import { toTargetNote } from '../../notes/target-sources.js';

/** One end of the lines that a position goes over. */
export class V4RangeEndView {
  line_code!: string | null;
  type!: string | null;
  old_line!: number | null;
  new_line!: number | null;
}

/** The lines that a position goes over. */
export class V4LineRangeView {
  start!: V4RangeEndView;
  end!: V4RangeEndView;
}

/** A place in the difference between two commits. */
export class V4PositionView {
  base_sha!: string;
  start_sha!: string;
  head_sha!: string;
  old_path!: string;
  new_path!: string;
  /** `text`, `image` or `file`. */
  position_type!: string;
  /** Of `text`, like the next two: null for a line that was added. */
  old_line?: number | null;
  /** Null for a line that was removed. */
  new_line?: number | null;
  line_range?: V4LineRangeView | null;
  /** Of `image`, like the next ones. */
  width?: number;
  height?: number;
  x?: number;
  y?: number;
}

/** A note on an issue or merge request. */
export class V4NoteView {
  id!: number;
  /** `DiscussionNote` in a thread, `DiffNote` in one on a line, a picture or a file; null by itself. */
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
  /** Of a `DiffNote`: always null. */
  commit_id?: string | null;
  /** Of a `DiffNote`. */
  position?: V4PositionView;
  /** Whether it can be resolved: those of threads on merge requests. */
  resolvable!: boolean;
  /** Present, like the next two, where it can be resolved. */
  resolved?: boolean;
  resolved_by?: V4UserBasicView | null;
  resolved_at?: Date | null;
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

export function presentV4Note(
  { note, author, resolver }: AuthoredNote,
  target: Pick<Issuable, 'iid'>,
  users: V4UserPresenter,
): V4NoteView {
  const shown = toTargetNote(note);
  const { position, resolvedAt } = note;
  return {
    ...presentNote(
      { ...shown, noteableId: note.noteableId },
      users.basic(author),
      note.projectId,
      target.iid,
    ),
    ...(position !== null && { commit_id: null, position: presentPosition(position) }),
    ...(shown.resolvable && {
      resolved: resolvedAt !== null,
      resolved_by: resolver && users.basic(resolver),
      resolved_at: resolvedAt,
    }),
  };
}

export function presentPosition({
  type,
  image,
  lineRange,
  ...position
}: DiffPosition): V4PositionView {
  return {
    base_sha: position.baseSha,
    start_sha: position.startSha,
    head_sha: position.headSha,
    old_path: position.oldPath,
    new_path: position.newPath,
    position_type: type,
    ...(type === 'text' && {
      old_line: position.oldLine,
      new_line: position.newLine,
      line_range: lineRange && {
        start: presentEnd(lineRange.start),
        end: presentEnd(lineRange.end),
      },
    }),
    ...image,
  };
}

const presentEnd = ({ lineCode, type, oldLine, newLine }: RangeEnd): V4RangeEndView => ({
  line_code: lineCode,
  type,
  old_line: oldLine,
  new_line: newLine,
});
