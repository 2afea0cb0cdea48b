import { Injectable } from '@nestjs/common';
import { UserPresenter } from '../../users/index.js';
import type { CommitCommentView } from './commit-comment.view.js';
import type { AuthoredComment } from './commit-comments.service.js';

@Injectable()
export class CommitCommentPresenter {
  constructor(private readonly users: UserPresenter) {}

  present({ comment, author }: AuthoredComment): CommitCommentView {
    return {
      note: comment.note,
      path: comment.path,
      line: comment.line,
      line_type: comment.lineType,
      author: this.users.summary(author),
      created_at: comment.createdAt,
    };
  }
}
