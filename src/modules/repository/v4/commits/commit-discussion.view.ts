import type { Commit } from '../../../../git/index.js';
import { presentNote } from '../../../feeds/v4/index.js';
import { type V4UserPresenter, V4UserBasicView } from '../../../users/v4/index.js';
import type { CommitComment } from '../../commits/comments/commit-comment.entity.js';
import type { AuthoredComment } from '../../commits/comments/commit-comments.service.js';
import { discussionIdFor } from '../../shared/discussion-ids.js';

/** A line that the difference of a commit shows. */
export class V4CommitPositionView {
  /** The first parent of the commit, like the next one; null without one. */
  base_sha!: string | null;
  start_sha!: string | null;
  /** The commit. */
  head_sha!: string;
  old_path!: string;
  new_path!: string;
  /** Always `text`. */
  position_type!: string;
  /** Null for a line that was added. */
  old_line!: number | null;
  /** Null for a line that was removed. */
  new_line!: number | null;
}

/** A comment on a commit as a note. */
export class V4CommitNoteView {
  id!: number;
  /** `DiffNote` on a line, else null. */
  type!: string | null;
  body!: string;
  /** Always null. */
  attachment!: string | null;
  author!: V4UserBasicView;
  created_at!: Date;
  updated_at!: Date;
  /** Always false. */
  system!: boolean;
  /** Always null. */
  noteable_id!: number | null;
  /** Always `Commit`. */
  noteable_type!: string;
  project_id!: number;
  /** The commit. */
  commit_id!: string;
  /** Of a `DiffNote`. */
  position?: V4CommitPositionView;
  /** Always false. */
  resolvable!: boolean;
  /** Always false. */
  confidential!: boolean;
  /** Always false. */
  internal!: boolean;
  /** Always false. */
  imported!: boolean;
  /** Always `none`. */
  imported_from!: string;
  /** Always null. */
  noteable_iid!: number | null;
  /** Always empty. */
  commands_changes!: object;
}

/** A comment on a commit as a discussion. */
export class V4CommitDiscussionView {
  /** 40 hexadecimal digits. */
  id!: string;
  /** Whether it is on the commit as a whole. */
  individual_note!: boolean;
  /** The comment. */
  notes!: V4CommitNoteView[];
}

export function presentCommitNote(
  { comment, author }: AuthoredComment,
  commit: Commit,
  users: V4UserPresenter,
): V4CommitNoteView {
  const position = presentCommitPosition(comment, commit);
  const note = {
    id: comment.id,
    body: comment.note,
    createdAt: comment.createdAt,
    updatedAt: comment.updatedAt ?? comment.createdAt,
    system: false,
    noteableId: null,
    noteableType: 'Commit' as const,
    type: position === null ? null : ('DiffNote' as const),
    resolvable: false,
  };
  return {
    ...presentNote(note, users.basic(author), comment.projectId, null),
    commit_id: commit.oid,
    ...(position !== null && { position }),
  };
}

export const presentCommitDiscussion = (
  comment: AuthoredComment,
  commit: Commit,
  users: V4UserPresenter,
): V4CommitDiscussionView => ({
  id: discussionIdFor('commit comment', comment.comment.id),
  individual_note: comment.comment.path === null,
  notes: [presentCommitNote(comment, commit, users)],
});

/** Of a comment that was not made as a discussion, the side of the line is known alone. */
export function presentCommitPosition(
  { path, line, lineType, position }: CommitComment,
  { oid, parents }: Commit,
): V4CommitPositionView | null {
  if (path === null) return null;
  const [parent = null] = parents;
  return {
    base_sha: parent,
    start_sha: parent,
    head_sha: oid,
    old_path: position?.oldPath ?? path,
    new_path: path,
    position_type: 'text',
    old_line: position === null ? (lineType === 'old' ? line : null) : position.oldLine,
    new_line: position === null ? (lineType === 'new' ? line : null) : position.newLine,
  };
}
