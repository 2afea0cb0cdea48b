import { Injectable } from '@nestjs/common';
import { AwardsRepository } from './awards/awards.repository.js';
import type { Issuable } from './issuable.js';
import { LabelLinks } from './labels/label-links.js';
import { Subscriptions } from './subscriptions/subscriptions.js';
import { Todos } from './todos/todos.js';

/**
 * What goes with an issue or merge request that is deleted
 * (docs/reference/issues.md#delete-projectsidissuesissue_id): its notes and events stay, unseen.
 */
@Injectable()
export class IssuableTraces {
  constructor(
    private readonly todos: Todos,
    private readonly subscriptions: Subscriptions,
    private readonly labels: LabelLinks,
    private readonly awards: AwardsRepository,
  ) {}

  /** In the caller's unit of work. */
  async remove(target: Pick<Issuable, 'type' | 'id'>): Promise<void> {
    await this.todos.removeOf(target);
    await this.subscriptions.removeAll(target);
    await this.labels.removeAll(target);
    await this.awards.removeAll(target);
  }
}
