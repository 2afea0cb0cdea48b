import type { UserPresenter } from '../../../users/index.js';
import type { CommitCommentView } from './commit-comment.view.js';
import type { AuthoredComment } from './commit-comments.service.js';

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
