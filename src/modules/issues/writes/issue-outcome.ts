import { Injectable } from '@nestjs/common';
import { type ActivityAction, ActivityLog, DomainEvents } from '../../activity/index.js';
import type { ProjectRef } from '../../access/index.js';
import { TextEffects, Todos } from '../../issuables/index.js';
import type { User } from '../../users/index.js';
import { issuableOf } from '../issue-kind.js';
import { IssueChanged, type IssueAction } from '../issue.events.js';
import type { LocatedIssue } from '../issues.repository.js';

/** What the feeds call what happened to an issue; they do not tell of other changes (open points 06). */
const ACTIVITIES: Partial<Record<IssueAction, ActivityAction>> = {
  open: 'opened',
  reopen: 'opened',
  close: 'closed',
};

/** Tells everybody whom it concerns what happened to an issue, in the unit of work that wrote it. */
@Injectable()
export class IssueOutcome {
  constructor(
    private readonly todos: Todos,
    private readonly texts: TextEffects,
    private readonly log: ActivityLog,
    private readonly events: DomainEvents,
  ) {}

  /** Somebody acted on the issue: what was on their list of it is done (open points 5.13). */
  async acted(issue: LocatedIssue, actorId: number): Promise<void> {
    await this.todos.finish({ type: 'Issue', id: issue.id }, actorId);
  }

  /** The issue was given to whom it is now assigned to. */
  async assigned(project: ProjectRef, issue: LocatedIssue, actorId: number): Promise<void> {
    if (issue.assigneeId === null) return;
    const reason = { action: 'assigned', authorId: actorId } as const;
    await this.todos.raiseIn(project, issuableOf(issue), [issue.assigneeId], reason);
  }

  /** Title and description were written. @param before what they were */
  async written(
    project: ProjectRef,
    issue: LocatedIssue,
    actor: User,
    before?: Pick<LocatedIssue, 'title' | 'description'>,
  ): Promise<void> {
    await this.texts.run({
      target: issuableOf(issue),
      project,
      actor,
      texts: textsOf(issue),
      ...(before === undefined ? {} : { before: textsOf(before) }),
    });
  }

  /**
   * Records the actions and publishes them, in the order given; comes last, because it locks the
   * project.
   */
  async done(changes: readonly IssueChanged[]): Promise<void> {
    await this.log.record(
      changes.flatMap(({ projectId, issueId, actorId: authorId, action: happened }) => {
        const action = ACTIVITIES[happened];
        if (action === undefined) return [];
        return [{ projectId, authorId, action, target: { type: 'Issue', id: issueId } }];
      }),
    );
    for (const change of changes) await this.events.publish(change);
  }
}

const textsOf = ({ title, description }: Pick<LocatedIssue, 'title' | 'description'>): string[] => [
  title,
  ...(description === null ? [] : [description]),
];
