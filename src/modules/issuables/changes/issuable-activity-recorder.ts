import { Injectable } from '@nestjs/common';
import type { ProjectRef } from '../../authorization/index.js';
import { type ActivityAction, ActivityLog } from '../../activity/index.js';
import { DomainEvents } from '../../../platform/events/index.js';
import type { User } from '../../users/index.js';
import type { DescribedIssuable, Issuable } from '../model/issuable.js';
import {
  TextReferenceRecorder,
  type ResolvedReferences,
} from '../notes/text-reference-recorder.js';
import { TodosService } from '../todos/todos.service.js';

/** A change of an issue or merge request. */
interface IssuableChange {
  readonly project: ProjectRef;
  readonly actor: User;
  readonly before: DescribedIssuable;
  readonly after: DescribedIssuable;
  /** Whether the change makes the actor's todo done (docs/reference/todos.md#when-todos-are-done). */
  readonly finishesTodo: boolean;
}

/** A domain event with the activity that feeds record, if any (docs/reference/events.md#what-is-recorded). */
export interface IssuableReport {
  readonly event: object;
  readonly projectId: number;
  readonly actorId: number;
  readonly targetId: number;
  readonly activity: ActivityAction | undefined;
}

type Texts = Pick<DescribedIssuable, 'title' | 'description'>;

/** Records todos, mentions, activity and domain events of a change, in the caller's unit of work. */
@Injectable()
export class IssuableActivityRecorder {
  constructor(
    private readonly todos: TodosService,
    private readonly references: TextReferenceRecorder,
    private readonly log: ActivityLog,
    private readonly events: DomainEvents,
  ) {}

  /** Makes the actor's todo for it done (docs/reference/todos.md#when-todos-are-done). */
  async finishTodo({ type, id }: Pick<Issuable, 'type' | 'id'>, actorId: number): Promise<void> {
    await this.todos.finish({ type, id }, actorId);
  }

  /** Finds what the texts of a new issuable refer to. */
  findReferences(project: ProjectRef, texts: Texts, author: User): Promise<ResolvedReferences> {
    return this.references.find({ project, actor: author, texts: textsOf(texts) });
  }

  /**
   * Raises todos for the assignees and reviewers of a new issuable, and records the references in its texts.
   * @param known what the texts refer to, if the caller has found that
   */
  async recordCreation(
    project: ProjectRef,
    created: DescribedIssuable,
    author: User,
    known?: ResolvedReferences,
  ): Promise<void> {
    await this.raiseForPeople(project, created, author);
    const text = { target: created, project, actor: author, texts: textsOf(created) };
    await this.references.recordText(text, known);
  }

  /** Raises todos for new assignees and reviewers, and records the references in changed texts. */
  async recordChange(change: IssuableChange): Promise<void> {
    const { project, actor, before, after, finishesTodo } = change;
    // First, so that the change may raise a new todo for the actor.
    if (finishesTodo) await this.finishTodo(after, actor.id);
    await this.raiseForPeople(project, after, actor, before);
    const texts = { texts: textsOf(after), before: textsOf(before) };
    await this.references.recordText({ target: after, project, actor, ...texts });
  }

  /** Records activities and publishes events, in the given order. It comes last, because it locks the project. */
  async publish(type: Issuable['type'], reports: readonly IssuableReport[]): Promise<void> {
    await this.log.record(
      reports.flatMap(({ projectId, actorId: authorId, targetId: id, activity: action }) =>
        action === undefined ? [] : [{ projectId, authorId, action, target: { type, id } }],
      ),
    );
    for (const { event } of reports) await this.events.publish(event);
  }

  /** @param before who was assigned, and was to review, before */
  private async raiseForPeople(
    project: ProjectRef,
    target: Issuable,
    { id: authorId }: User,
    before?: Pick<Issuable, 'assigneeIds' | 'reviewerIds'>,
  ): Promise<void> {
    const { assigneeIds, reviewerIds } = target;
    const assigned = assigneeIds.filter((id) => !before?.assigneeIds.includes(id));
    const reviewing = reviewerIds.filter((id) => !before?.reviewerIds.includes(id));
    await this.todos.raiseIn(project, target, assigned, { action: 'assigned', authorId });
    await this.todos.raiseIn(project, target, reviewing, { action: 'review_requested', authorId });
  }
}

const textsOf = ({ title, description }: Texts): string[] => [
  title,
  ...(description === null ? [] : [description]),
];
