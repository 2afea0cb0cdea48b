import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { notModified } from '../../platform/errors/index.js';
import type { ProjectAccess } from '../access/index.js';
import { Subscriptions, type Todo, Todos } from '../issuables/index.js';
import type { User } from '../users/index.js';
import { IssueFinder } from './issue-finder.js';
import { issuableOf } from './issue-kind.js';
import type { LocatedIssue } from './issues.repository.js';

/** What readers of an issue ask for themselves: to hear of it, or to find it on their list. */
@Injectable()
export class IssueAttention {
  constructor(
    private readonly work: UnitOfWork,
    private readonly finder: IssueFinder,
    private readonly subscriptions: Subscriptions,
    private readonly todos: Todos,
  ) {}

  /** @throws DomainError not modified when it was so already, forbidden, record not found */
  async subscribe(
    access: ProjectAccess,
    caller: User,
    id: number,
    subscribed: boolean,
  ): Promise<LocatedIssue> {
    const issue = await this.finder.readForWriting(access, caller, id);
    const isNew = await this.subscriptions.choose(issuableOf(issue), caller.id, subscribed);
    if (!isNew) throw notModified();
    return issue;
  }

  /** @throws DomainError not modified when it is pending already, forbidden, record not found */
  async mark(access: ProjectAccess, caller: User, id: number): Promise<Todo> {
    const issue = await this.finder.readForWriting(access, caller, id);
    const todo = await this.work.run(() => this.todos.mark(issuableOf(issue), caller));
    if (todo === null) throw notModified();
    return todo;
  }
}
