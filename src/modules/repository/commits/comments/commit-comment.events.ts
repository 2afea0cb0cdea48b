import { DomainEvent } from '../../../activity/index.js';

/** A commit was commented on. Published in the unit of work that writes the comment. */
@DomainEvent()
export class CommitCommented {
  constructor(
    readonly projectId: number,
    readonly commentId: number,
  ) {}
}
