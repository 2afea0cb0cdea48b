import { discussionIdOf, type DraftNote } from '../../issuables/index.js';
import { presentPosition, V4LineRangeView } from '../../issuables/v4/index.js';

/** A place in the difference between two commits; everything but the type is null without one. */
export class V4DraftPositionView {
  base_sha!: string | null;
  start_sha!: string | null;
  head_sha!: string | null;
  old_path!: string | null;
  new_path!: string | null;
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

/** A note on a merge request that its author has not published. */
export class V4DraftNoteView {
  id!: number;
  author_id!: number;
  merge_request_id!: number;
  /** Whether publishing it resolves the thread. */
  resolve_discussion!: boolean;
  /** The discussion that it replies to; null if it begins one. */
  discussion_id!: string | null;
  note!: string;
  commit_id!: string | null;
  /** Always null. */
  line_code!: string | null;
  position!: V4DraftPositionView;
}

const NO_POSITION: V4DraftPositionView = {
  base_sha: null,
  start_sha: null,
  head_sha: null,
  old_path: null,
  new_path: null,
  position_type: 'text',
  old_line: null,
  new_line: null,
  line_range: null,
};

export const presentDraftNote = (draft: DraftNote): V4DraftNoteView => ({
  id: draft.id,
  author_id: draft.authorId,
  merge_request_id: draft.mergeRequestId,
  resolve_discussion: draft.resolves,
  discussion_id: draft.discussionId === null ? null : discussionIdOf(draft.discussionId),
  note: draft.body,
  commit_id: draft.commitSha,
  line_code: null,
  position: draft.position === null ? NO_POSITION : presentPosition(draft.position),
});
