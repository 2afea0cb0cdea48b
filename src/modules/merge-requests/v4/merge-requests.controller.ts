import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import {
  Answers,
  AnswersList,
  AnswersNothing,
  MayAnswer,
  PageQuery,
  TakesBody,
} from '../../../platform/http/index.js';
import { TEXT_BODY } from '../../../platform/limits/index.js';
import { mapPage, mapPageInParts, type Page } from '../../../platform/pagination/index.js';
import {
  Access,
  Caller,
  InProject,
  type ProjectAccess,
  type ProjectRef,
  Requires,
} from '../../authorization/index.js';
import {
  IssuableKinds,
  type LoadedIssuable,
  RequiresEnabled,
  SubscriptionsRepository,
} from '../../issuables/index.js';
import { V4IssuablePresenters } from '../../issuables/v4/index.js';
import { V4IssueView } from '../../issues/v4/index.js';
import { User } from '../../users/index.js';
import { V4UserBasicView, V4UserPresenter } from '../../users/v4/index.js';
import { AcceptService } from '../accept/accept.service.js';
import { AutomaticMergeService } from '../accept/automatic-merge.service.js';
import { MergeRequestsService } from '../merge-requests.service.js';
import { ClosedIssuesService } from '../merges/closed-issues.service.js';
import {
  toAcceptInput,
  toCreateInput,
  toUpdateInput,
  V4AcceptMergeRequestDto,
  V4CreateMergeRequestDto,
  V4ReadMergeRequestDto,
  V4UpdateMergeRequestDto,
} from './merge-request.dto.js';
import { V4MergeRequestPresenter, V4SingleMergeRequestView } from './merge-request.view.js';

@V4Controller('projects/:id/merge_requests', 'MergeRequests')
@RequiresEnabled('MergeRequest')
export class V4MergeRequestsController {
  constructor(
    private readonly kinds: IssuableKinds,
    private readonly mergeRequests: MergeRequestsService,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly presenter: V4MergeRequestPresenter,
    private readonly users: V4UserPresenter,
  ) {}

  /** One merge request; below level reporter for its author and assignee only. */
  @Get(':merge_request_iid')
  @Requires('merge-request:read')
  @Answers(V4SingleMergeRequestView)
  async read(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
    @Query() { include_rebase_in_progress: includesRebase }: V4ReadMergeRequestDto,
  ): Promise<V4SingleMergeRequestView> {
    const request = await this.mergeRequests.read(access, caller, { iid });
    const view = await this.presenter.presentOne(request, access);
    return includesRebase ? { ...view, rebase_in_progress: false } : view;
  }

  /** Opens a merge request from a branch of the project. Fields that the caller may not set are ignored. */
  @Post()
  @Requires('merge-request:create')
  @TakesBody(TEXT_BODY)
  @Answers(V4SingleMergeRequestView)
  @MayAnswer(409, 422)
  async create(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Body() body: V4CreateMergeRequestDto,
  ): Promise<V4SingleMergeRequestView> {
    const request = await this.mergeRequests.create(access, caller, toCreateInput(body));
    return this.presenter.presentOne(request, access);
  }

  /** Updates, closes or reopens a merge request. Fields that the caller may not change are ignored. */
  @Put(':merge_request_iid')
  @Requires('merge-request:edit')
  @TakesBody(TEXT_BODY)
  @Answers(V4SingleMergeRequestView)
  @MayAnswer(409, 422)
  async update(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
    @Body() body: V4UpdateMergeRequestDto,
  ): Promise<V4SingleMergeRequestView> {
    const { id } = await this.find(access.project, iid);
    const request = await this.mergeRequests.update(access, caller, id, toUpdateInput(body));
    return this.presenter.presentOne(request, access);
  }

  /** Deletes a merge request; for administrators and project owners. */
  @Delete(':merge_request_iid')
  @Requires('merge-request:delete')
  @AnswersNothing()
  async remove(
    @Caller() caller: User,
    @InProject() project: ProjectRef,
    @Param('merge_request_iid') iid: number,
  ): Promise<void> {
    const { id } = await this.find(project, iid);
    await this.mergeRequests.delete(project, caller, id);
  }

  /** The users who take part: its author, its assignee, and those who commented or were mentioned. */
  @Get(':merge_request_iid/participants')
  @Requires('merge-request:read')
  @AnswersList(V4UserBasicView)
  async participants(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
    @Query() query: PageQuery,
  ): Promise<Page<V4UserBasicView>> {
    const request = await this.kinds.readByNumber('MergeRequest', access, caller, iid);
    const page = await this.subscriptions.listParticipants(request, query);
    return mapPage(page, (user) => this.users.basic(user));
  }

  /** The services check whether the caller may read or change it. */
  private find({ id: projectId }: ProjectRef, iid: number) {
    return this.kinds.findByNumber('MergeRequest', { projectId, iid });
  }
}

/** Merging, and what it does. */
@V4Controller('projects/:id/merge_requests/:merge_request_iid', 'Merges')
@RequiresEnabled('MergeRequest')
export class V4MergesController {
  constructor(
    private readonly kinds: IssuableKinds,
    private readonly accepting: AcceptService,
    private readonly automaticMerges: AutomaticMergeService,
    private readonly closedIssues: ClosedIssuesService,
    private readonly presenter: V4MergeRequestPresenter,
    private readonly presenters: V4IssuablePresenters,
  ) {}

  /** Merges a request, now or when the pipeline succeeds; for users who may push or merge to the target branch. */
  @Put('merge')
  @Requires('merge-request:accept')
  @Answers(V4SingleMergeRequestView)
  @MayAnswer(405, 409, 422)
  async accept(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
    @Body() body: V4AcceptMergeRequestDto,
  ): Promise<V4SingleMergeRequestView> {
    const id = await this.findId(access, iid);
    const merger = { user: caller, access };
    const merged = await this.accepting.accept(merger, id, toAcceptInput(body));
    return this.presenter.presentOne(merged, access);
  }

  /** Cancels a merge that waits for its pipeline; for the author and users who may merge it. */
  @Post('cancel_merge_when_pipeline_succeeds')
  @Requires('merge-request:accept')
  @Answers(V4SingleMergeRequestView)
  @MayAnswer(405, 406)
  async cancel(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
  ): Promise<V4SingleMergeRequestView> {
    const id = await this.findId(access, iid);
    const canceled = await this.automaticMerges.cancel({ user: caller, access }, id);
    return this.presenter.presentOne(canceled, access);
  }

  /** The issues that merging the request closes. */
  @Get('closes_issues')
  @Requires('merge-request:read')
  @AnswersList(V4IssueView)
  async listClosedIssues(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
    @Query() request: PageQuery,
  ): Promise<Page<object>> {
    const id = await this.findId(access, iid);
    const issues = await this.closedIssues.list(access, caller, id, request);
    const presenter = this.presenters.of('Issue');
    return mapPageInParts(issues, (part: readonly LoadedIssuable[]) => presenter.presentAll(part));
  }

  private async findId({ project }: ProjectAccess, iid: number): Promise<number> {
    const number = { projectId: project.id, iid };
    return (await this.kinds.findByNumber('MergeRequest', number)).id;
  }
}
