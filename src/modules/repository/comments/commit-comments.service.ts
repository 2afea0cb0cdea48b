import { Injectable } from '@nestjs/common';
import { describeInParts, type Page, type PageRequest } from '../../../platform/http/index.js';
import type { ProjectRef } from '../../access/index.js';
import { authorOf, type User, UsersRepository } from '../../users/index.js';
import { CommitFinder } from '../commit-finder.js';
import type { CommitComment } from './commit-comment.entity.js';
import { CommitCommentsRepository } from './commit-comments.repository.js';

export interface AuthoredComment {
  comment: CommitComment;
  /** The ghost in the place of a deleted account. */
  author: User;
}

@Injectable()
export class CommitCommentsService {
  constructor(
    private readonly commits: CommitFinder,
    private readonly comments: CommitCommentsRepository,
    private readonly users: UsersRepository,
  ) {}

  /**
   * The comments on a commit, the oldest first.
   * @param sha hash, abbreviated hash, branch or tag
   * @throws DomainError not found
   */
  async list(
    project: ProjectRef,
    sha: string,
    request: PageRequest,
  ): Promise<Page<AuthoredComment>> {
    const oid = await this.commits.resolve(project, sha);
    return describeInParts(
      await this.comments.ofCommit(project.id, oid, request),
      ({ textBytes }) => textBytes,
      async (rows) => {
        const comments = await this.comments.findByIds(rows.map(({ id }) => id));
        const authors = await this.users.findAuthors(comments.map(({ authorId }) => authorId));
        return comments.map((comment) => ({
          comment,
          author: authorOf(authors, comment.authorId),
        }));
      },
    );
  }
}
