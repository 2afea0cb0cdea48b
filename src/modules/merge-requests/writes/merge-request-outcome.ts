import { Injectable } from '@nestjs/common';
import type { ActivityAction } from '../../activity/index.js';
import { IssuableActivityRecorder } from '../../issuables/index.js';
import type { MergeRequestAction, MergeRequestChanged } from '../merge-request.events.js';

/**
 * What the feeds call what happened to a merge request; they do not tell of others
 * (docs/reference/events.md#what-is-recorded).
 */
const ACTIVITIES: Partial<Record<MergeRequestAction, ActivityAction>> = {
  open: 'opened',
  reopen: 'opened',
  close: 'closed',
  merge: 'accepted',
};

/** Tells everybody whom it concerns what happened to a merge request, in the unit of work that wrote it. */
@Injectable()
export class MergeRequestOutcome extends IssuableActivityRecorder {
  /** As `report`. */
  done(changes: readonly MergeRequestChanged[]): Promise<void> {
    const reports = changes.map((event) => ({
      event,
      projectId: event.projectId,
      actorId: event.actorId,
      targetId: event.mergeRequestId,
      activity: ACTIVITIES[event.action],
    }));
    return this.publish('MergeRequest', reports);
  }
}
