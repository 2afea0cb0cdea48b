import { type UserPresenter, UserSummaryView } from '../../../users/v3/index.js';
import type { AuthoredComment } from '../../commits/comments/commit-comments.service.js';

/** A comment on a commit (docs/reference/commits.md#post-projectsidrepositorycommitsshacomments). */
export class CommitCommentView {
  note!: string;
  /** Null, like the next two, for a comment on the commit as a whole. */
  path!: string | null;
  line!: number | null;
  /** `new` or `old`. */
  line_type!: string | null;
  author!: UserSummaryView;
  created_at!: Date;
}

export function presentCommitComment(
  { comment, author }: AuthoredComment,
  users: UserPresenter,
): CommitCommentView {
  return {
    note: comment.note,
    path: comment.path,
    line: comment.line,
    line_type: comment.lineType,
    author: users.summary(author),
    created_at: comment.createdAt,
  };
}
