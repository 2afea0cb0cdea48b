import type { ActivityAction } from '../../activity/index.js';
import { DomainEvent } from '../../../platform/events/index.js';
import type { EventProject } from '../../authorization/index.js';
import type { IssuableReport, TriageChange } from '../../issuables/index.js';
import type { Issue } from './issue.entity.js';

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

/** The issue that changed, as it is now. */
type ChangedIssue = Pick<Issue, 'id' | 'confidential'>;

/** What an `update` has changed. */
interface IssueUpdate {
  /** The changed fields; empty if nothing has changed. */
  readonly fields?: readonly IssueField[];
  /** The issue as it was. */
  readonly before?: Omit<Issue, 'deletedAt'>;
  readonly labels?: TriageChange['labels'];
}

/**
 * An issue was created or changed. It is published in the unit of work of the change, after everything else is
 * written. One request may publish a change of state and then an `update`.
 */
@DomainEvent()
export class IssueChanged {
  constructor(
    readonly project: EventProject,
    readonly issue: ChangedIssue,
    readonly actorId: number,
    readonly action: IssueAction,
    readonly update: IssueUpdate = {},
  ) {}

  get issueId(): number {
    return this.issue.id;
  }

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
