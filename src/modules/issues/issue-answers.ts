import { Injectable } from '@nestjs/common';
import type { ProjectAccess, Subject } from '../access/index.js';
import { IssueFinder } from './issue-finder.js';
import { IssueRelations, type IssueWithRelations } from './issue-relations.js';
import { IssuePresenter } from './issue.presenter.js';
import type { IssueView } from './issue.view.js';
import type { LocatedIssue } from './issues.repository.js';

/** Single issues, as they are answered. */
@Injectable()
export class IssueAnswers {
  constructor(
    private readonly finder: IssueFinder,
    private readonly relations: IssueRelations,
    private readonly presenter: IssuePresenter,
  ) {}

  /** @throws DomainError record not found */
  async read(access: ProjectAccess, reader: Subject, id: number): Promise<IssueView> {
    return this.as(reader, await this.finder.read(access, reader, id));
  }

  /** As a reader who may read it gets it. */
  async as(reader: Subject, issue: LocatedIssue): Promise<IssueView> {
    return this.of(await this.relations.loadOne(issue, reader));
  }

  of(parts: IssueWithRelations): IssueView {
    return this.presenter.present(parts);
  }
}
