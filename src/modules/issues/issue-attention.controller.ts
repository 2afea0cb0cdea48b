import { Controller, Delete, Param, Post } from '@nestjs/common';
import { Answers, MayAnswer } from '../../platform/http/index.js';
import { Access, Caller, type ProjectAccess, Requires } from '../access/index.js';
import { Attention, TodoView } from '../issuables/index.js';
import { User } from '../users/index.js';
import { IssueAnswers } from './issue-answers.js';
import { IssueFinder } from './issue-finder.js';
import { issuableOf } from './issue-kind.js';
import { IssueView } from './issue.view.js';

@Controller('projects/:id/issues/:issue_id')
export class IssueAttentionController {
  constructor(
    private readonly finder: IssueFinder,
    private readonly attention: Attention,
    private readonly answers: IssueAnswers,
  ) {}

  /** Subscribes the caller to the issue; 304 when they are. */
  @Post('subscription')
  @Requires('issue:read')
  @Answers(IssueView)
  @MayAnswer(304)
  subscribe(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('issue_id') id: number,
  ): Promise<IssueView> {
    return this.choose(access, caller, id, true);
  }

  /** Ends the caller's subscription to the issue; 304 when there is none. */
  @Delete('subscription')
  @Requires('issue:read')
  @Answers(IssueView)
  @MayAnswer(304)
  unsubscribe(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('issue_id') id: number,
  ): Promise<IssueView> {
    return this.choose(access, caller, id, false);
  }

  /** Puts the issue on the caller's list of todos; 304 when one for it is pending. */
  @Post('todo')
  @Requires('issue:read')
  @Answers(TodoView)
  @MayAnswer(304)
  async mark(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('issue_id') id: number,
  ): Promise<TodoView> {
    const issue = await this.finder.readForWriting(access, caller, id);
    return this.attention.mark(issuableOf(issue), caller);
  }

  private async choose(
    access: ProjectAccess,
    caller: User,
    id: number,
    subscribed: boolean,
  ): Promise<IssueView> {
    const issue = await this.finder.readForWriting(access, caller, id);
    await this.attention.subscribe(issuableOf(issue), caller, subscribed);
    return this.answers.as(caller, issue);
  }
}
