import { Controller, Delete, Param, Post, UseGuards } from '@nestjs/common';
import { Answers, MayAnswer } from '../../platform/http/index.js';
import { Access, Caller, type ProjectAccess, Requires } from '../access/index.js';
import { Attention, TodoView } from '../issuables/index.js';
import { User } from '../users/index.js';
import { MergeRequestFinder } from './merge-request-finder.js';
import { issuableOf } from './issuable/merge-request-kind.js';
import { MergeRequestRelations } from './issuable/merge-request-relations.js';
import { MergeRequestPresenter } from './merge-request.presenter.js';
import { MergeRequestView } from './merge-request.view.js';
import { MergeRequestsGuard } from './merge-requests.guard.js';

@Controller('projects/:id/merge_requests/:merge_request_id')
@UseGuards(MergeRequestsGuard)
export class MergeRequestAttentionController {
  constructor(
    private readonly finder: MergeRequestFinder,
    private readonly attention: Attention,
    private readonly relations: MergeRequestRelations,
    private readonly presenter: MergeRequestPresenter,
  ) {}

  /** Subscribes the caller to the merge request; 304 when they are. */
  @Post('subscription')
  @Requires('merge-request:read')
  @Answers(MergeRequestView)
  @MayAnswer(304)
  subscribe(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') id: number,
  ): Promise<MergeRequestView> {
    return this.choose(access, caller, id, true);
  }

  /** Ends the caller's subscription to the merge request; 304 when there is none. */
  @Delete('subscription')
  @Requires('merge-request:read')
  @Answers(MergeRequestView)
  @MayAnswer(304)
  unsubscribe(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') id: number,
  ): Promise<MergeRequestView> {
    return this.choose(access, caller, id, false);
  }

  /** Puts the merge request on the caller's list of todos; 304 when one for it is pending. */
  @Post('todo')
  @Requires('merge-request:read')
  @Answers(TodoView)
  @MayAnswer(304)
  async mark(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') id: number,
  ): Promise<TodoView> {
    const mergeRequest = await this.finder.read(access, caller, id);
    return this.attention.mark(issuableOf(mergeRequest), caller);
  }

  private async choose(
    access: ProjectAccess,
    caller: User,
    id: number,
    subscribed: boolean,
  ): Promise<MergeRequestView> {
    const mergeRequest = await this.finder.read(access, caller, id);
    await this.attention.subscribe(issuableOf(mergeRequest), caller, subscribed);
    return this.presenter.present(await this.relations.loadOne(mergeRequest, caller));
  }
}
