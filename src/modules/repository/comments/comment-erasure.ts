import { Injectable } from '@nestjs/common';
import { AccountErasure } from '../../users/index.js';
import { CommitCommentsRepository } from './commit-comments.repository.js';

const CHUNK = 1_000;

/** Attributes to the ghost the comments that a deleted account made (open points 5.15). */
@Injectable()
export class CommentErasure {
  constructor(comments: CommitCommentsRepository, erasure: AccountErasure) {
    erasure.register({
      name: 'commit comments',
      run: async (userId, ghostId) => (await comments.handOver(userId, ghostId, CHUNK)) === CHUNK,
    });
  }
}
