import { Controller, Delete, Param, Post } from '@nestjs/common';
import { recordNotFound } from '../../platform/errors/index.js';
import { Answers, MayAnswer } from '../../platform/http/index.js';
import { Access, Caller, type ProjectAccess, Requires } from '../access/index.js';
import { TodoPresenter, TodoView } from '../issuables/index.js';
import { User } from '../users/index.js';
import { IssueAnswers } from './issue-answers.js';
import { IssueAttention } from './issue-attention.js';
import { IssueView } from './issue.view.js';

@Controller('projects/:id/issues/:issue_id')
export class IssueAttentionController {
  constructor(
    private readonly attention: IssueAttention,
    private readonly answers: IssueAnswers,
    private readonly todos: TodoPresenter,
  ) {}

  /** Subscribes the caller to the issue; 304 when they are. */
  @Post('subscription')
  @Requires('issue:read')
  @Answers(IssueView)
  @MayAnswer(304)
  async subscribe(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('issue_id') id: number,
  ): Promise<IssueView> {
    return this.answers.as(caller, await this.attention.subscribe(access, caller, id, true));
  }

  /** Ends the caller's subscription to the issue; 304 when there is none. */
  @Delete('subscription')
  @Requires('issue:read')
  @Answers(IssueView)
  @MayAnswer(304)
  async unsubscribe(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('issue_id') id: number,
  ): Promise<IssueView> {
    return this.answers.as(caller, await this.attention.subscribe(access, caller, id, false));
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
    const [todo] = await this.todos.present(
      [await this.attention.mark(access, caller, id)],
      caller,
    );
    // The issue was deleted at this very moment.
    if (todo === undefined) throw recordNotFound();
    return todo;
  }
}
