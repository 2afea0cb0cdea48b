import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { V3Controller } from '../../../faces/index.js';
import { Urls } from '../../../platform/config/index.js';
import { type DomainError, notFound } from '../../../platform/errors/index.js';
import {
  AlsoAnswers,
  Answers,
  AnswersList,
  type AnswerWithStatus,
  OperationOf,
  PageQuery,
  TakesBody,
} from '../../../platform/http/index.js';
import { TEXT_BODY } from '../../../platform/limits/index.js';
import { mapPage, Page } from '../../../platform/pagination/index.js';
import {
  Access,
  Caller,
  InProject,
  type ProjectAccess,
  type ProjectRef,
  Requires,
} from '../../authorization/index.js';
import {
  type AuthoredNote,
  CommandsOnly,
  type Issuable,
  IssuableKinds,
  NotesService,
  RequiresEnabled,
} from '../../issuables/index.js';
import {
  answerCommands,
  COMMANDS_ONLY,
  CommandsView,
  IssuablePresenters,
} from '../../issuables/v3/index.js';
import { IssueView } from '../../issues/v3/index.js';
import { User } from '../../users/index.js';
import { UserPresenter } from '../../users/v3/index.js';
import {
  CreateCommentDto,
  CreateMergeRequestDto,
  ListMergeRequestsDto,
  toCreateMergeRequestInput,
  toFilter,
  toUpdateMergeRequestInput,
  UpdateMergeRequestDto,
} from './merge-request.dto.js';
import { MergeRequestView, OldCommentView, presentMergeRequest } from './merge-request.view.js';
import { MergeRequestsService } from '../merge-requests.service.js';
import { ClosedIssuesService } from '../merges/closed-issues.service.js';

/** The ids of operations that write begin otherwise than those of others: clients are generated from them. */
@V3Controller('projects/:id/merge_requests', 'MergeRequests')
@RequiresEnabled('MergeRequest')
export class MergeRequestsController {
  constructor(
    private readonly mergeRequests: MergeRequestsService,
    private readonly urls: Urls,
  ) {}

  /** The merge requests into a project. */
  @Get()
  @Requires('merge-request:list')
  @AnswersList(MergeRequestView)
  async list(
    @Caller() caller: User,
    @InProject() project: ProjectRef,
    @Query() query: ListMergeRequestsDto,
  ): Promise<Page<MergeRequestView>> {
    const page = await this.mergeRequests.list(project, caller, toFilter(query), query);
    return mapPage(page, (mergeRequest) => presentMergeRequest(mergeRequest, this.urls));
  }

  /** One merge request; below level reporter for its author and assignee only. */
  @Get(':merge_request_id')
  @Requires('merge-request:read')
  @Answers(MergeRequestView)
  async read(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') id: number,
  ): Promise<MergeRequestView> {
    return presentMergeRequest(await this.mergeRequests.read(access, caller, id), this.urls);
  }

  /** Opens a merge request from a branch of the project, into the project or one that it was forked from. */
  @Post()
  @OperationOf('MergeRequestWrites')
  @Requires('merge-request:create')
  @TakesBody(TEXT_BODY)
  @Answers(MergeRequestView)
  async create(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Body() body: CreateMergeRequestDto,
  ): Promise<MergeRequestView> {
    const input = toCreateMergeRequestInput(body);
    return presentMergeRequest(await this.mergeRequests.create(access, caller, input), this.urls);
  }

  /** Updates, closes or reopens a merge request. Fields that the caller may not change are ignored. */
  @Put(':merge_request_id')
  @OperationOf('MergeRequestWrites')
  @Requires('merge-request:edit')
  @TakesBody(TEXT_BODY)
  @Answers(MergeRequestView)
  async update(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') id: number,
    @Body() body: UpdateMergeRequestDto,
  ): Promise<MergeRequestView> {
    const input = toUpdateMergeRequestInput(body);
    return presentMergeRequest(
      await this.mergeRequests.update(access, caller, id, input),
      this.urls,
    );
  }

  /** Deletes a merge request and returns it; for administrators and project owners. */
  @Delete(':merge_request_id')
  @OperationOf('MergeRequestWrites')
  @Requires('merge-request:delete')
  @Answers(MergeRequestView)
  async remove(
    @Caller() caller: User,
    @InProject() project: ProjectRef,
    @Param('merge_request_id') id: number,
  ): Promise<MergeRequestView> {
    return presentMergeRequest(await this.mergeRequests.delete(project, caller, id), this.urls);
  }
}

@V3Controller('projects/:id/merge_requests/:merge_request_id', 'ClosesIssues')
@RequiresEnabled('MergeRequest')
export class ClosesIssuesController {
  constructor(
    private readonly issues: ClosedIssuesService,
    private readonly presenters: IssuablePresenters,
  ) {}

  /** The issues that merging the request closes. */
  @Get('closes_issues')
  @Requires('merge-request:read')
  @AnswersList(IssueView)
  async list(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') id: number,
    @Query() request: PageQuery,
  ): Promise<Page<object>> {
    const presenter = this.presenters.of('Issue');
    return mapPage(await this.issues.list(access, caller, id, request), (issue) =>
      presenter.present(issue),
    );
  }
}

/** Notes on merge requests, for clients that are older than the notes resource. */
@V3Controller('projects/:id/merge_requests/:merge_request_id/comments', 'OldComments')
@RequiresEnabled('MergeRequest')
export class OldCommentsController {
  constructor(
    private readonly kinds: IssuableKinds,
    private readonly notes: NotesService,
    private readonly users: UserPresenter,
  ) {}

  /** The texts and authors of the notes on a merge request, the oldest first. */
  @Get()
  @Requires('merge-request:read')
  @AnswersList(OldCommentView)
  async list(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') id: number,
    @Query() query: PageQuery,
  ): Promise<Page<OldCommentView>> {
    const target = await this.find(access, caller, id, notFound('notes'));
    const page = await this.notes.list(target, caller, query);
    return mapPage(page, (note) => this.present(note));
  }

  /** Comments on a merge request, whatever the text. */
  @Post()
  @Requires('merge-request:read')
  @TakesBody(TEXT_BODY)
  @Answers(OldCommentView)
  @AlsoAnswers(202, CommandsView, COMMANDS_ONLY)
  async create(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') id: number,
    @Body() { note: body }: CreateCommentDto,
  ): Promise<OldCommentView | AnswerWithStatus> {
    const target = await this.find(access, caller, id, notFound('note'));
    const written = await this.notes.create(access, target, caller, { body });
    return written instanceof CommandsOnly ? answerCommands(written) : this.present(written);
  }

  private async find(
    access: ProjectAccess,
    caller: User,
    id: number,
    absent: DomainError,
  ): Promise<Issuable> {
    const mergeRequest = await this.kinds.of('MergeRequest').findReadable(access, caller, id);
    if (mergeRequest === null) throw absent;
    return mergeRequest;
  }

  private present({ note, author }: AuthoredNote): OldCommentView {
    return { note: note.body, author: this.users.summary(author) };
  }
}
