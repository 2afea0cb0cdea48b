import { Injectable } from '@nestjs/common';
import { COMMIT_NOTE, EventTargets } from '../../projects/index.js';
import type { CommitComment } from './commit-comment.entity.js';
import { CommitCommentsRepository } from './commit-comments.repository.js';

/** Shows comments on commits in the feeds (open points 06). */
@Injectable()
export class CommentTargets {
  constructor(comments: CommitCommentsRepository, targets: EventTargets) {
    targets.register({
      type: COMMIT_NOTE,
      shownAs: 'Note',
      sizesOf: (ids) => comments.sizesOf(ids),
      load: async (ids) => {
        const found = await comments.findByIds(ids);
        return new Map(found.map((comment) => [comment.id, targetOf(comment)]));
      },
    });
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
