import { Delete, Param, Post, type Type } from '@nestjs/common';
import { V3Controller } from '../../../../faces/index.js';
import { notModified } from '../../../../platform/errors/index.js';
import { Answers, ApiOperation, MayAnswer } from '../../../../platform/http/index.js';
import { Access, Caller, type ProjectAccess, Requires } from '../../../authorization/index.js';
import { User } from '../../../users/index.js';
import { IssuableKinds } from '../../model/issuable-kinds.js';
import type { IssuableRoutes } from '../issuable-routes.js';
import { IssuablePresenters } from '../issuable-presenters.js';
import { SubscriptionsRepository } from '../../todos/subscriptions.repository.js';
import { TodoPresenter, TodoView } from './todo.view.js';
import { TodosService } from '../../todos/todos.service.js';

/**
 * The controller by which callers subscribe to issues, or to merge requests, and add them to their todos
 * (docs/reference/issues.md#subscriptions).
 */
export function issuableSubscriptionsController(routes: IssuableRoutes): Type<object> {
  const { type, path, idParameter, noun, ability, view } = routes;

  @V3Controller(path, `${type}Attention`)
  @routes.requiresEnabled
  class IssuableSubscriptionsController {
    constructor(
      private readonly kinds: IssuableKinds,
      private readonly subscriptions: SubscriptionsRepository,
      private readonly todos: TodosService,
      private readonly presenter: TodoPresenter,
      private readonly presenters: IssuablePresenters,
    ) {}

    @Post('subscription')
    @ApiOperation({ summary: `Subscribes the caller to the ${noun}; 304 when they are.` })
    @Requires(ability)
    @Answers(view)
    @MayAnswer(304)
    subscribe(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(idParameter) id: number,
    ): Promise<object> {
      return this.choose(access, caller, id, true);
    }

    @Delete('subscription')
    @ApiOperation({
      summary: `Ends the caller's subscription to the ${noun}; 304 when there is none.`,
    })
    @Requires(ability)
    @Answers(view)
    @MayAnswer(304)
    unsubscribe(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(idParameter) id: number,
    ): Promise<object> {
      return this.choose(access, caller, id, false);
    }

    @Post('todo')
    @ApiOperation({
      summary: `Puts the ${noun} on the caller's list of todos; 304 when one for it is pending.`,
    })
    @Requires(ability)
    @Answers(TodoView)
    @MayAnswer(304)
    async mark(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(idParameter) id: number,
    ): Promise<TodoView> {
      const { issuable } = await this.kinds.of(type).read(access, caller, id);
      return this.presenter.presentOne(await this.todos.mark(issuable, caller), caller);
    }

    private async choose(
      access: ProjectAccess,
      caller: User,
      id: number,
      subscribed: boolean,
    ): Promise<object> {
      const { issuable, load } = await this.kinds.of(type).read(access, caller, id);
      const isNew = await this.subscriptions.choose(issuable, caller.id, subscribed);
      if (!isNew) throw notModified();
      return this.presenters.of(type).present(await load());
    }
  }

  return IssuableSubscriptionsController;
}
