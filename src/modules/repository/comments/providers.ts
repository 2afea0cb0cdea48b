import { CommentOutcome } from './comment-outcome.js';
import { CommentPositions } from './comment-positions.js';
import { CommentTargets } from './comment-targets.js';
import { CommitCommentPresenter } from './commit-comment.presenter.js';
import { CommitCommentsRepository } from './commit-comments.repository.js';
import { CommitCommentsService } from './commit-comments.service.js';
import { CreateCommitComment } from './create-commit-comment.js';

/** Comments on commits. */
export const COMMENT_PROVIDERS = [
  CommentOutcome,
  CommentPositions,
  CommentTargets,
  CommitCommentPresenter,
  CommitCommentsRepository,
  CommitCommentsService,
  CreateCommitComment,
];
