import { Injectable } from '@nestjs/common';
import {
  COMMIT_NOTE,
  type EventTargetProvider,
  ProvidesEventTargets,
} from '../../../projects/index.js';
import type { CommitComment } from './commit-comment.entity.js';
import { CommitCommentsRepository } from './commit-comments.repository.js';

/** Provides comments on commits as targets of events, for the feeds. */
@Injectable()
@ProvidesEventTargets()
export class CommentEventTargets implements EventTargetProvider {
  readonly targetSources;

  constructor(comments: CommitCommentsRepository) {
    const load = async (ids: readonly number[]) => {
      const found = await comments.findByIds(ids);
      return new Map(found.map((comment) => [comment.id, targetOf(comment)]));
    };
    const sizesOf = (ids: readonly number[]) => comments.sizesOf(ids);
    this.targetSources = [{ type: COMMIT_NOTE, shownAs: 'Note', sizesOf, load }];
  }
}

function targetOf({ id, note, authorId, createdAt, commitTitle }: CommitComment) {
  return {
    title: commitTitle,
    note: {
      ...{ id, body: note, authorId, createdAt, updatedAt: createdAt },
      ...{ system: false, noteableId: null, noteableType: 'Commit' as const },
    },
  };
}
