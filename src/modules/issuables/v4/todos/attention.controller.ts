import { Param, Post, type Type } from '@nestjs/common';
import { V4Controller } from '../../../../faces/index.js';
import { notModified } from '../../../../platform/errors/index.js';
import { Answers, ApiOperation, MayAnswer } from '../../../../platform/http/index.js';
import { Access, Caller, type ProjectAccess, Requires } from '../../../authorization/index.js';
import { User } from '../../../users/index.js';
import { IssuableKinds } from '../../model/issuable-kinds.js';
import { issuableNotFound } from '../../model/refusals.js';
import { SubscriptionsRepository } from '../../todos/subscriptions.repository.js';
import { TodosService } from '../../todos/todos.service.js';
import { V4IssuablePresenters } from '../issuable-presenters.js';
import type { V4IssuableRoutes } from '../issuable-routes.js';
import { V4TodoPresenter, V4TodoView } from './todo.view.js';

/** The controller by which callers subscribe to issues, or to merge requests, and add them to their todos. */
export function v4AttentionController(
  routes: V4IssuableRoutes & { readonly view: Type<object> },
): Type<object> {
  const { type, path, iidParameter, noun, ability, view } = routes;

  @V4Controller(path, `${type}Attention`)
  @routes.requiresEnabled
  class V4AttentionController {
    constructor(
      private readonly kinds: IssuableKinds,
      private readonly subscriptions: SubscriptionsRepository,
      private readonly todos: TodosService,
      private readonly presenter: V4TodoPresenter,
      private readonly presenters: V4IssuablePresenters,
    ) {}

    @Post('subscribe')
    @ApiOperation({ summary: `Subscribes the caller to the ${noun}; 304 when they are.` })
    @Requires(ability)
    @Answers(view)
    @MayAnswer(304)
    subscribe(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(iidParameter) iid: number,
    ): Promise<object> {
      return this.choose(access, caller, iid, true);
    }

    @Post('unsubscribe')
    @ApiOperation({
      summary: `Ends the caller's subscription to the ${noun}; 304 when there is none.`,
    })
    @Requires(ability)
    @Answers(view)
    @MayAnswer(304)
    unsubscribe(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(iidParameter) iid: number,
    ): Promise<object> {
      return this.choose(access, caller, iid, false);
    }

    @Post('todo')
    @ApiOperation({
      summary: `Puts the ${noun} on the caller's list of todos; 304 when one for it is pending.`,
    })
    @Requires(ability)
    @Answers(V4TodoView)
    @MayAnswer(304)
    async mark(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(iidParameter) iid: number,
    ): Promise<V4TodoView> {
      const issuable = await this.kinds.readByNumber(type, access, caller, iid);
      return this.presenter.presentOne(await this.todos.mark(issuable, caller), caller);
    }

    private async choose(
      access: ProjectAccess,
      caller: User,
      iid: number,
      subscribed: boolean,
    ): Promise<object> {
      const issuable = await this.kinds.readByNumber(type, access, caller, iid);
      const isNew = await this.subscriptions.choose(issuable, caller.id, subscribed);
      if (!isNew) throw notModified();
      const loaded = (await this.kinds.of(type).load([issuable.id], caller)).get(issuable.id);
      if (loaded === undefined) throw issuableNotFound(type);
      return this.presenters.of(type).presentOne(loaded, access, caller);
    }
  }

  return V4AttentionController;
}
