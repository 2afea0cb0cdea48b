import { Injectable } from '@nestjs/common';
import type { ProjectAccess, Subject } from '../access/index.js';
import { IssueFinder } from './issue-finder.js';
import { IssueParts, type IssueWithParts } from './issue-parts.js';
import { IssuePresenter } from './issue.presenter.js';
import type { IssueView } from './issue.view.js';
import type { LocatedIssue } from './issues.repository.js';

/** Single issues, as they are answered. */
@Injectable()
export class IssueAnswers {
  constructor(
    private readonly finder: IssueFinder,
    private readonly parts: IssueParts,
    private readonly presenter: IssuePresenter,
  ) {}

  /** @throws DomainError record not found */
  async read(access: ProjectAccess, reader: Subject, id: number): Promise<IssueView> {
    return this.as(reader, await this.finder.read(access, reader, id));
  }

  /** As a reader who may read it gets it. */
  async as(reader: Subject, issue: LocatedIssue): Promise<IssueView> {
    return this.of(await this.parts.ofOne(issue, reader));
  }

  of(parts: IssueWithParts): IssueView {
    return this.presenter.present(parts);
  }
}
