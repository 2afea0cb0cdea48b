import { Injectable } from '@nestjs/common';
import { AwardsRepository, LabelLinks, Subscriptions, Todos } from '../../issuables/index.js';

/** What goes with an issue that is deleted (open points 5.1): its notes and events stay, unseen. */
@Injectable()
export class IssueTraces {
  constructor(
    private readonly todos: Todos,
    private readonly subscriptions: Subscriptions,
    private readonly labels: LabelLinks,
    private readonly awards: AwardsRepository,
  ) {}

  /** In the caller's unit of work. */
  async remove(issueId: number): Promise<void> {
    const target = { type: 'Issue', id: issueId } as const;
    await this.todos.removeOf(target);
    await this.subscriptions.removeAll(target);
    await this.labels.removeAll(target);
    await this.awards.removeAll(target);
  }
}
