import { Injectable } from '@nestjs/common';
import { type DomainError, recordNotFound } from '../../../platform/errors/index.js';
import { allows, type ProjectAccess, type Subject } from '../../access/index.js';
import {
  type DescribedIssuable,
  type HeadOf,
  type Issuable,
  type IssuableKind,
  BaseIssuableKind,
  ProvidesIssuableKind,
  type ReadScope,
  type ReaderInSql,
} from '../../issuables/index.js';
import { IssueRelations } from '../presentation/issue-relations.js';
import { IssuePresenter } from '../presentation/issue.presenter.js';
import { mayRead, readableInSql } from '../model/issue.policy.js';
import { IssuesRepository, type LocatedIssue } from '../model/issues.repository.js';

/** Returns what notes, todos and the like need to know of an issue. */
export const issuableOf = (issue: HeadOf<LocatedIssue>): Issuable => ({
  type: 'Issue',
  id: issue.id,
  iid: issue.iid,
  projectId: issue.projectId,
  authorId: issue.authorId,
  assigneeId: issue.assigneeId,
  title: issue.title,
  confidential: issue.confidential,
});

/** The same with its description. */
export const describedIssuable = (row: LocatedIssue): DescribedIssuable => ({
  ...issuableOf(row),
  description: row.description,
});

/** Provides issues to what they share with merge requests. */
@Injectable()
@ProvidesIssuableKind()
export class IssueKind extends BaseIssuableKind<LocatedIssue> implements IssuableKind {
  readonly type = 'Issue';
  readonly sigil = '#';
  readonly segment = 'issues';
  readonly table = 'issues';
  readonly hasConfidential = true;

  constructor(
    issues: IssuesRepository,
    private readonly relations: IssueRelations,
    private readonly presenter: IssuePresenter,
  ) {
    super(issues);
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

  protected unreadable(): DomainError {
    return recordNotFound();
  }

  protected issuableOf(row: HeadOf<LocatedIssue>): Issuable {
    return issuableOf(row);
  }

  protected async presentRows(
    rows: readonly LocatedIssue[],
    reader: Subject,
  ): Promise<ReadonlyMap<number, object>> {
    const issues = await this.relations.loadAll(rows, reader);
    return new Map(issues.map((one) => [one.issue.id, this.presenter.present(one)]));
  }
}
