import { Injectable } from '@nestjs/common';
import { ActivityLog, DomainEvents } from '../../activity/index.js';
import { COMMIT_NOTE } from '../../projects/index.js';
import type { CommitComment } from './commit-comment.entity.js';
import { CommitCommented } from './commit-comment.events.js';

/** Tells of a new comment on a commit, in the unit of work that writes it. */
@Injectable()
export class CommentOutcome {
  constructor(
    private readonly log: ActivityLog,
    private readonly events: DomainEvents,
  ) {}

  async written({ id, projectId, authorId }: CommitComment): Promise<void> {
    const target = { type: COMMIT_NOTE, id };
    await this.log.record([{ projectId, authorId, action: 'commented on', target }]);
    await this.events.publish(new CommitCommented(projectId, id));
  }
}
