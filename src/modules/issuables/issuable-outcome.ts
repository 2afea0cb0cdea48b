import { Injectable } from '@nestjs/common';
import type { ProjectRef } from '../access/index.js';
import { type ActivityAction, ActivityLog, DomainEvents } from '../activity/index.js';
import type { User } from '../users/index.js';
import type { DescribedIssuable, Issuable } from './issuable.js';
import { TextEffects } from './references/text-effects.js';
import { Todos } from './todos/todos.js';

/** That somebody changed an issue or merge request. */
export interface IssuableChange {
  readonly project: ProjectRef;
  readonly actor: User;
  readonly before: DescribedIssuable;
  readonly after: DescribedIssuable;
  /**
   * Whether the actor has dealt with what was on their list
   * (docs/reference/todos.md#when-todos-are-done).
   */
  readonly isFinishing: boolean;
}

/**
 * What is published, and what the feeds say of it; they do not tell of everything
 * (docs/reference/events.md#what-is-recorded).
 */
export interface Report {
  readonly event: object;
  readonly projectId: number;
  readonly actorId: number;
  readonly targetId: number;
  readonly activity: ActivityAction | undefined;
}

/** Tells everybody whom it concerns what happened, in the unit of work that wrote it. */
@Injectable()
export class IssuableOutcome {
  constructor(
    private readonly todos: Todos,
    private readonly texts: TextEffects,
    private readonly log: ActivityLog,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Somebody acted on it: what was on their list of it is done
   * (docs/reference/todos.md#when-todos-are-done).
   */
  async acted({ type, id }: Pick<Issuable, 'type' | 'id'>, actorId: number): Promise<void> {
    await this.todos.finish({ type, id }, actorId);
  }

  /** It was made: whoever it is assigned to, and whom its text mentions, is told. */
  async made(project: ProjectRef, made: DescribedIssuable, author: User): Promise<void> {
    await this.assigned(project, made, author);
    await this.texts.run({ target: made, project, actor: author, texts: textsOf(made) });
  }

  /** It was changed; the actor's own todos are finished before new ones are raised. */
  async changed({ project, actor, before, after, isFinishing }: IssuableChange): Promise<void> {
    if (isFinishing) await this.acted(after, actor.id);
    if (before.assigneeId !== after.assigneeId) await this.assigned(project, after, actor);
    const texts = { texts: textsOf(after), before: textsOf(before) };
    await this.texts.run({ target: after, project, actor, ...texts });
  }

  /**
   * Records what happened and publishes it, in the order given; comes last, because it locks the
   * project.
   */
  async report(type: Issuable['type'], reports: readonly Report[]): Promise<void> {
    await this.log.record(
      reports.flatMap(({ projectId, actorId: authorId, targetId: id, activity: action }) =>
        action === undefined ? [] : [{ projectId, authorId, action, target: { type, id } }],
      ),
    );
    for (const { event } of reports) await this.events.publish(event);
  }

  private async assigned(project: ProjectRef, target: Issuable, { id }: User): Promise<void> {
    if (target.assigneeId === null) return;
    const reason = { action: 'assigned', authorId: id } as const;
    await this.todos.raiseIn(project, target, [target.assigneeId], reason);
  }
}

const textsOf = ({
  title,
  description,
}: Pick<DescribedIssuable, 'title' | 'description'>): string[] => [
  title,
  ...(description === null ? [] : [description]),
];
