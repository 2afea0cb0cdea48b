import { Injectable } from '@nestjs/common';
import { type DomainError, forbidden } from '../../../platform/errors/index.js';
import { allows, type ProjectAccess, type Subject } from '../../authorization/index.js';
import {
  type EventTargetProvider,
  ProvidesEventTargets,
  type TargetSource,
} from '../../feeds/index.js';
import {
  type DescribedIssuable,
  type HeadOf,
  type Issuable,
  type IssuableKind,
  IssuableRelations,
  issuableTargetSources,
  BaseIssuableKind,
  NotesRepository,
  noteTarget,
  ProvidesIssuableKind,
  type ReadScope,
  type ReaderInSql,
} from '../../issuables/index.js';
import { mayRead, mergeRequestEventVisibility, readableInSql } from './merge-request.policy.js';
import { type LocatedMergeRequest, MergeRequestsRepository } from './merge-requests.repository.js';

/** Returns a merge request as notes, todos and other parts of `issuables` handle it. */
export const issuableOf = (mergeRequest: HeadOf<LocatedMergeRequest>): Issuable => ({
  type: 'MergeRequest',
  id: mergeRequest.id,
  iid: mergeRequest.iid,
  projectId: mergeRequest.projectId,
  authorId: mergeRequest.authorId,
  assigneeIds: mergeRequest.assigneeIds,
  reviewerIds: mergeRequest.reviewerIds,
  title: mergeRequest.title,
  confidential: false,
  discussionLocked: mergeRequest.discussionLocked,
});

/** Returns the same with the description. */
export const describedIssuable = (row: LocatedMergeRequest): DescribedIssuable => ({
  ...issuableOf(row),
  description: row.description,
});

const REQUEST_OF_EVENT = 'FROM merge_requests m WHERE m.id = event.target_id';

const REQUEST_OF_NOTE = `
  FROM notes n JOIN merge_requests m ON n.noteable_type = 'MergeRequest' AND m.id = n.noteable_id
 WHERE n.id = event.target_id`;

/**
 * Merge requests as a kind of issuable: how they are found, read and loaded, and shown in feeds with their notes.
 */
@Injectable()
@ProvidesIssuableKind()
@ProvidesEventTargets()
export class MergeRequestKind
  extends BaseIssuableKind<LocatedMergeRequest>
  implements IssuableKind, EventTargetProvider
{
  readonly type = 'MergeRequest';
  readonly sigil = '!';
  readonly segment = 'merge_requests';
  readonly table = 'merge_requests';
  readonly hasConfidential = false;
  readonly targetSources: readonly TargetSource[];

  constructor(
    mergeRequests: MergeRequestsRepository,
    notes: NotesRepository,
    relations: IssuableRelations,
  ) {
    super(mergeRequests, relations);
    this.targetSources = issuableTargetSources(notes, {
      type: 'MergeRequest',
      titlesOf: (ids) => mergeRequests.titlesOf(ids),
      visibility: mergeRequestEventVisibility('MergeRequest', REQUEST_OF_EVENT),
      noteVisibility: mergeRequestEventVisibility(noteTarget('MergeRequest'), REQUEST_OF_NOTE),
    });
  }

  allowsReading(issuable: Issuable, access: ProjectAccess, reader: Subject): boolean {
    return mayRead(issuable, access, reader);
  }

  readScope(access: ProjectAccess): ReadScope {
    return allows(access, 'merge-request:read-any') ? 'all' : 'nothing';
  }

  readable(names: ReaderInSql): string {
    return readableInSql(names);
  }

  unreadable(): DomainError {
    return forbidden();
  }

  protected issuableOf(row: HeadOf<LocatedMergeRequest>): Issuable {
    return issuableOf(row);
  }
}
