import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import {
  Answers,
  AnswersList,
  AnswersNothing,
  FixedStatus,
  MayAnswer,
  PageQuery,
  TakesBody,
} from '../../../platform/http/index.js';
import { TEXT_BODY } from '../../../platform/limits/index.js';
import { mapPage, mapPageInParts, Page } from '../../../platform/pagination/index.js';
import {
  Access,
  Caller,
  MaybeCaller,
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
  TodosService,
} from '../../issuables/index.js';
import { V4IssuablePresenters } from '../../issuables/v4/index.js';
import { V4IssueView } from '../../issues/v4/index.js';
import { User } from '../../users/index.js';
import { V4UserBasicView, V4UserPresenter } from '../../users/v4/index.js';
import { AcceptService } from '../accept/accept.service.js';
import { AutomaticMergeService } from '../accept/automatic-merge.service.js';
import { MergeRequestsService } from '../merge-requests.service.js';
import { ClosedIssuesService } from '../merges/closed-issues.service.js';
import { RebasesService } from '../rebases/rebases.service.js';
import { MergeRequestBranches } from '../versions/merge-request-branches.js';
import {
  toAcceptInput,
  toCreateInput,
  toUpdateInput,
  V4AcceptMergeRequestDto,
  V4CreateMergeRequestDto,
  V4ReadMergeRequestDto,
  V4RebaseMergeRequestDto,
  V4UpdateMergeRequestDto,
} from './merge-request.dto.js';
import {
  V4MergeRequestPresenter,
  V4RebaseView,
  V4SingleMergeRequestView,
} from './merge-request.view.js';
import { V4ReviewerView } from './reviewer.view.js';

@V4Controller('projects/:id/merge_requests', 'MergeRequests')
@RequiresEnabled('MergeRequest')
export class V4MergeRequestsController {
  constructor(
    private readonly kinds: IssuableKinds,
    private readonly mergeRequests: MergeRequestsService,
    private readonly branches: MergeRequestBranches,
    private readonly rebases: RebasesService,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly todos: TodosService,
    private readonly presenter: V4MergeRequestPresenter,
    private readonly users: V4UserPresenter,
  ) {}

  /** One merge request; below level reporter for its author and assignee only. */
  @Get(':merge_request_iid')
  @Requires('merge-request:browse')
  @Answers(V4SingleMergeRequestView)
  async read(
    @MaybeCaller() caller: User | null,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
    @Query() query: V4ReadMergeRequestDto,
  ): Promise<V4SingleMergeRequestView> {
    const request = await this.mergeRequests.read(access, caller, { iid });
    const { issuable } = request;
    const view = await this.presenter.presentOne(request, access, caller);
    if (query.include_rebase_in_progress) {
      view.rebase_in_progress = await this.rebases.isInProgress(issuable);
    }
    if (query.include_diverged_commits_count) {
      const { client } = access.project;
      view.diverged_commits_count = await this.branches.countDiverged(issuable, client);
    }
    return view;
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
    return this.presenter.presentOne(request, access, caller);
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
    return this.presenter.presentOne(request, access, caller);
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
  @Requires('merge-request:browse')
  @AnswersList(V4UserBasicView)
  async participants(
    @MaybeCaller() caller: User | null,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
    @Query() query: PageQuery,
  ): Promise<Page<V4UserBasicView>> {
    const request = await this.kinds.readByNumber('MergeRequest', access, caller, iid);
    const page = await this.subscriptions.listParticipants(request, query);
    return mapPage(page, (user) => this.users.basic(user));
  }

  /** The reviewers, in their order. */
  @Get(':merge_request_iid/reviewers')
  @Requires('merge-request:browse')
  @AnswersList(V4ReviewerView)
  async reviewers(
    @MaybeCaller() caller: User | null,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
    @Query() query: PageQuery,
  ): Promise<Page<V4ReviewerView>> {
    const { issuable, reviewers } = await this.mergeRequests.read(access, caller, { iid });
    const ids = reviewers.map(({ id }) => id);
    const requested = ids.length === 0 ? null : await this.todos.findReviewRequests(issuable, ids);
    return mapPage(Page.of(reviewers, query), (user) => ({
      user: this.users.basic(user),
      state: 'unreviewed',
      created_at: requested?.get(user.id) ?? issuable.createdAt,
    }));
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
    private readonly rebases: RebasesService,
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
    return this.presenter.presentOne(merged, access, caller);
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
    return this.presenter.presentOne(canceled, access, caller);
  }

  /**
   * Rebases the source branch onto the target branch in the background; for users who may push to the source branch by force.
   */
  @Put('rebase')
  @Requires('merge-request:read')
  @FixedStatus(202)
  @Answers(V4RebaseView)
  @MayAnswer(409)
  async rebase(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
    @Body() _: V4RebaseMergeRequestDto,
  ): Promise<V4RebaseView> {
    await this.rebases.request({ user: caller, access }, await this.findId(access, iid));
    return { rebase_in_progress: true };
  }

  /** The issues that merging the request closes. */
  @Get('closes_issues')
  @Requires('merge-request:browse')
  @AnswersList(V4IssueView)
  async listClosedIssues(
    @MaybeCaller() caller: User | null,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
    @Query() request: PageQuery,
  ): Promise<Page<object>> {
    const id = await this.findId(access, iid);
    const issues = await this.closedIssues.list(access, caller, id, request);
    const presenter = this.presenters.of('Issue');
    return mapPageInParts(issues, (part: readonly LoadedIssuable[]) =>
      presenter.presentAll(part, { reader: caller }),
    );
  }

  private async findId({ project }: ProjectAccess, iid: number): Promise<number> {
    const number = { projectId: project.id, iid };
    return (await this.kinds.findByNumber('MergeRequest', number)).id;
  }
}
