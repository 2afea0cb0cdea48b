import { Injectable } from '@nestjs/common';
import { type ActivityAction, ActivityLog } from '../../activity/index.js';
import { DomainEvents } from '../../../platform/events/index.js';
import {
  IssuableActivityRecorder,
  LabelsRepository,
  NotesRepository,
  TextReferenceRecorder,
  TodosService,
} from '../../issuables/index.js';
import type { MergeRequestAction, MergeRequestChanged } from '../model/merge-request.events.js';
import {
  type LocatedMergeRequest,
  MergeRequestsRepository,
} from '../model/merge-requests.repository.js';
import { type MergeRequestChange, systemNoteTexts } from './merge-request-change.js';

/** The actions that feeds show, under their names there (docs/reference/events.md#what-is-recorded). */
const ACTIVITIES: Partial<Record<MergeRequestAction, ActivityAction>> = {
  open: 'opened',
  reopen: 'opened',
  close: 'closed',
  merge: 'accepted',
  approved: 'approved',
  approval: 'approved',
};

/**
 * Writes changes of merge requests with their system notes, and records their todos, mentions, activity and domain
 * events, in the caller's transaction.
 */
@Injectable()
export class MergeRequestChangeRecorder extends IssuableActivityRecorder {
  constructor(
    todos: TodosService,
    references: TextReferenceRecorder,
    log: ActivityLog,
    events: DomainEvents,
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly notes: NotesRepository,
    private readonly labels: LabelsRepository,
  ) {
    super(todos, references, log, events);
  }

  /**
   * Writes a change of a request that the unit of work has locked, with its system notes.
   * @returns the request as stored
   */
  async write(change: MergeRequestChange, actorId: number): Promise<LocatedMergeRequest> {
    const { before, after } = change;
    const target = { type: 'MergeRequest', id: after.id, projectId: after.projectId } as const;
    for (const text of systemNoteTexts(change))
      await this.notes.insertSystemNote(target, actorId, text);
    const updatedAt = await this.mergeRequests.update(after, actorId);
    if (before.state !== after.state) await this.labels.updateLinks(target);
    return { ...after, updatedById: actorId, updatedAt };
  }

  /** Records the activity and publishes the events, in the order given. Comes last, because it locks the project. */
  publishChanges(changes: readonly MergeRequestChanged[]): Promise<void> {
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
