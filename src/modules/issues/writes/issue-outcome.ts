import { Injectable } from '@nestjs/common';
import type { ActivityAction } from '../../activity/index.js';
import { IssuableOutcome } from '../../issuables/index.js';
import type { IssueAction, IssueChanged } from '../issue.events.js';

/**
 * What the feeds call what happened to an issue; they do not tell of other changes
 * (docs/reference/events.md#what-is-recorded).
 */
const ACTIVITIES: Partial<Record<IssueAction, ActivityAction>> = {
  open: 'opened',
  reopen: 'opened',
  close: 'closed',
};

/** Tells everybody whom it concerns what happened to an issue, in the unit of work that wrote it. */
@Injectable()
export class IssueOutcome extends IssuableOutcome {
  /** As `report`. */
  done(changes: readonly IssueChanged[]): Promise<void> {
    const reports = changes.map((event) => ({
      event,
      projectId: event.projectId,
      actorId: event.actorId,
      targetId: event.issueId,
      activity: ACTIVITIES[event.action],
    }));
    return this.report('Issue', reports);
  }
}
