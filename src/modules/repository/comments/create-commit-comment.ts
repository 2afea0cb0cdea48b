import { Injectable } from '@nestjs/common';
import type { Commit } from '../../../git/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { invalidRecord, notFound } from '../../../platform/errors/index.js';
import type { ProjectRef } from '../../access/index.js';
import type { User } from '../../users/index.js';
import { CommitFinder } from '../commit-finder.js';
import { titleOf } from '../commit.presenter.js';
import { storable } from '../storable-text.js';
import { CommentOutcome } from './comment-outcome.js';
import type { AuthoredComment } from './commit-comments.service.js';
import { CommitCommentsRepository } from './commit-comments.repository.js';
import { CommentPositions, type LinePosition } from './comment-positions.js';

const MAX_NOTE = 1_000_000;
const MAX_TITLE = 255;

export interface CommentInput extends LinePosition {
  note: string;
}

/** Comments on commits (docs/reference/commits.md#post-projectsidrepositorycommitsshacomments). */
@Injectable()
export class CreateCommitComment {
  constructor(
    private readonly work: UnitOfWork,
    private readonly commits: CommitFinder,
    private readonly positions: CommentPositions,
    private readonly comments: CommitCommentsRepository,
    private readonly outcome: CommentOutcome,
  ) {}

  /**
   * @param sha hash, abbreviated hash, branch or tag
   * @throws DomainError not found, invalid record
   */
  async run(
    project: ProjectRef,
    sha: string,
    author: User,
    { note, ...place }: CommentInput,
  ): Promise<AuthoredComment> {
    const commit = await this.commits.find(project, sha);
    assertNote(note);
    const position = await this.positions.find(project, commit, place);
    const comment = await this.work.run(async () => {
      const made = await this.comments.insert({
        projectId: project.id,
        sha: commit.oid,
        commitTitle: titleFor(commit),
        authorId: author.id,
        note,
        ...position,
      });
      if (made === null) throw notFound('Project');
      await this.outcome.written(made);
      return made;
    });
    return { comment, author };
  }
}

function assertNote(note: string): void {
  if (note.trim() === '') throw invalidRecord({ note: ["can't be blank"] });
  if (note.length > MAX_NOTE) {
    throw invalidRecord({ note: [`is too long (maximum is ${String(MAX_NOTE)} characters)`] });
  }
}

const titleFor = ({ message }: Commit): string => storable(titleOf(message), MAX_TITLE);
