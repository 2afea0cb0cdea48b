import { Injectable } from '@nestjs/common';
import { allows, type ProjectAccess, type Subject } from '../access/index.js';
import {
  type Issuable,
  type IssuableKind,
  IssuableKinds,
  type Reach,
  type ReaderInSql,
} from '../issuables/index.js';
import { IssueParts } from './issue-parts.js';
import { IssuePresenter } from './issue.presenter.js';
import { mayRead, readableInSql } from './issue.policy.js';
import { IssuesRepository, type LocatedIssue } from './issues.repository.js';

/** An issue, as notes, todos and the like know it. */
export const issuableOf = (issue: LocatedIssue): Issuable => ({
  type: 'Issue',
  id: issue.id,
  iid: issue.iid,
  projectId: issue.projectId,
  authorId: issue.authorId,
  assigneeId: issue.assigneeId,
  title: issue.title,
  description: issue.description,
  confidential: issue.confidential,
});

/** Issues, for what they share with merge requests. */
@Injectable()
export class IssueKind implements IssuableKind {
  readonly type = 'Issue';
  readonly sigil = '#';
  readonly segment = 'issues';
  readonly table = 'issues';
  readonly hasConfidential = true;

  constructor(
    kinds: IssuableKinds,
    private readonly issues: IssuesRepository,
    private readonly parts: IssueParts,
    private readonly presenter: IssuePresenter,
  ) {
    kinds.register(this);
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

  async find(ids: readonly number[]): Promise<ReadonlyMap<number, Issuable>> {
    const issues = await this.issues.findByIds(ids);
    return new Map(issues.map((issue) => [issue.id, issuableOf(issue)]));
  }

  async findByIid(
    projectId: number,
    iids: readonly number[],
  ): Promise<ReadonlyMap<number, Issuable>> {
    const issues = await this.issues.findByIids(projectId, iids);
    return new Map(issues.map((issue) => [issue.iid, issuableOf(issue)]));
  }

  async present(ids: readonly number[], reader: Subject): Promise<ReadonlyMap<number, object>> {
    const parts = await this.parts.of(await this.issues.findByIds(ids), reader);
    return new Map(parts.map((one) => [one.issue.id, this.presenter.present(one)]));
  }

  touch(id: number): Promise<boolean> {
    return this.issues.touch(id);
  }
}
