import { Injectable } from '@nestjs/common';
import { allows, type ProjectAccess, type Subject } from '../access/index.js';
import {
  type DescribedIssuable,
  type HeadOf,
  type Issuable,
  type IssuableKind,
  KindOfRows,
  ProvidesIssuableKind,
  type Reach,
  type ReaderInSql,
} from '../issuables/index.js';
import { IssueRelations } from './issue-relations.js';
import { IssuePresenter } from './issue.presenter.js';
import { mayRead, readableInSql } from './issue.policy.js';
import { IssuesRepository, type LocatedIssue } from './issues.repository.js';

/** An issue, as notes, todos and the like know it. */
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
export const describedOf = (row: LocatedIssue): DescribedIssuable => ({
  ...issuableOf(row),
  description: row.description,
});

/** Issues, for what they share with merge requests. */
@Injectable()
@ProvidesIssuableKind()
export class IssueKind extends KindOfRows<LocatedIssue> implements IssuableKind {
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

  reach(access: ProjectAccess): Reach {
    if (allows(access, 'issue:read-confidential')) return 'all';
    return allows(access, 'issue:read') ? 'open' : 'nothing';
  }

  readable(names: ReaderInSql): string {
    return readableInSql(names);
  }

  protected issuableOf(row: HeadOf<LocatedIssue>): Issuable {
    return issuableOf(row);
  }

  protected async presentRows(
    rows: readonly LocatedIssue[],
    reader: Subject,
  ): Promise<ReadonlyMap<number, object>> {
    const parts = await this.relations.load(rows, reader);
    return new Map(parts.map((one) => [one.issue.id, this.presenter.present(one)]));
  }
}
