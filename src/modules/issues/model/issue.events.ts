import type { ActivityAction } from '../../activity/index.js';
import { DomainEvent } from '../../../platform/events/index.js';
import type { EventProject } from '../../authorization/index.js';
import type { IssuableReport } from '../../issuables/index.js';

/** What happened to an issue. A move opens the new one and closes the old one (docs/reference/hooks.md#issues). */
export type IssueAction = 'open' | 'close' | 'reopen' | 'update';

/** The fields of an issue that can be changed. */
export type IssueField =
  | 'title'
  | 'description'
  | 'confidential'
  | 'discussionLocked'
  | 'assignees'
  | 'milestone'
  | 'labels'
  | 'dueDate'
  | 'updatedAt';

/**
 * An issue was created or changed. It is published in the unit of work of the change, after everything else is
 * written. One request may publish a change of state and then an `update`.
 */
@DomainEvent()
export class IssueChanged {
  constructor(
    readonly project: EventProject,
    readonly issueId: number,
    readonly actorId: number,
    readonly action: IssueAction,
    /** The changed fields of an `update`; empty if nothing has changed. */
    readonly changes: readonly IssueField[] = [],
  ) {}

  get projectId(): number {
    return this.project.id;
  }
}

/** The actions that feeds record (docs/reference/events.md#what-is-recorded). */
const ACTIVITIES: Partial<Record<IssueAction, ActivityAction>> = {
  open: 'opened',
  reopen: 'opened',
  close: 'closed',
};

/** Returns the event with the activity that it is recorded as. */
export const toReport = (event: IssueChanged): IssuableReport => ({
  event,
  projectId: event.projectId,
  actorId: event.actorId,
  targetId: event.issueId,
  activity: ACTIVITIES[event.action],
});
