import { Injectable } from '@nestjs/common';
import { type DomainError, recordNotFound } from '../../../platform/errors/index.js';
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
import { issueEventVisibility, mayRead, readableInSql } from './issue.policy.js';
import { IssuesRepository, type LocatedIssue } from './issues.repository.js';

/** Returns what notes, todos and the like need to know of an issue. */
export const issuableOf = (issue: HeadOf<LocatedIssue>): Issuable => ({
  type: 'Issue',
  id: issue.id,
  iid: issue.iid,
  projectId: issue.projectId,
  authorId: issue.authorId,
  assigneeIds: issue.assigneeIds,
  reviewerIds: [],
  title: issue.title,
  confidential: issue.confidential,
  discussionLocked: issue.discussionLocked,
});

/** The same with its description. */
export const describedIssuable = (row: LocatedIssue): DescribedIssuable => ({
  ...issuableOf(row),
  description: row.description,
});

const ISSUE_OF_EVENT = 'FROM issues i WHERE i.id = event.target_id';

const ISSUE_OF_NOTE = `
  FROM notes n JOIN issues i ON n.noteable_type = 'Issue' AND i.id = n.noteable_id
 WHERE n.id = event.target_id`;

/** Issues as a kind of issuable: how they are found, read and loaded, and shown in feeds with their notes. */
@Injectable()
@ProvidesIssuableKind()
@ProvidesEventTargets()
export class IssueKind
  extends BaseIssuableKind<LocatedIssue>
  implements IssuableKind, EventTargetProvider
{
  readonly type = 'Issue';
  readonly sigil = '#';
  readonly segment = 'issues';
  readonly table = 'issues';
  readonly hasConfidential = true;
  readonly targetSources: readonly TargetSource[];

  constructor(issues: IssuesRepository, notes: NotesRepository, relations: IssuableRelations) {
    super(issues, relations);
    this.targetSources = issuableTargetSources(notes, {
      type: 'Issue',
      titlesOf: (ids) => issues.titlesOf(ids),
      visibility: issueEventVisibility('Issue', ISSUE_OF_EVENT),
      noteVisibility: issueEventVisibility(noteTarget('Issue'), ISSUE_OF_NOTE),
    });
  }

  allowsReading(issuable: Issuable, access: ProjectAccess, reader: Subject): boolean {
    return mayRead(issuable, access, reader);
  }

  readScope(access: ProjectAccess): ReadScope {
    if (allows(access, 'issue:read-confidential')) return 'all';
    return allows(access, 'issue:read') ? 'open' : 'nothing';
  }

  readable(names: ReaderInSql): string {
    return readableInSql(names);
  }

  unreadable(): DomainError {
    return recordNotFound('issue');
  }

  protected issuableOf(row: HeadOf<LocatedIssue>): Issuable {
    return issuableOf(row);
  }
}
