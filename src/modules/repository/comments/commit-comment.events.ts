import { DomainEvent } from '../../activity/index.js';

/** Somebody commented on a commit; published in the unit of work that writes the comment. */
@DomainEvent()
export class CommitCommented {
  constructor(
    readonly projectId: number,
    readonly commentId: number,
  ) {}
}
