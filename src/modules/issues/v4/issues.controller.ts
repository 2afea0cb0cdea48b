import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import {
  Answers,
  AnswersList,
  AnswersNothing,
  PageQuery,
  TakesBody,
} from '../../../platform/http/index.js';
import { TEXT_BODY } from '../../../platform/limits/index.js';
import { mapPage, type Page } from '../../../platform/pagination/index.js';
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
  RequiresEnabledToWrite,
  SubscriptionsRepository,
} from '../../issuables/index.js';
import { User } from '../../users/index.js';
import { V4UserBasicView, V4UserPresenter } from '../../users/v4/index.js';
import { IssuesService } from '../issues.service.js';
import { IssueMovesService } from '../moves/issue-moves.service.js';
import {
  toCreateIssueInput,
  toUpdateIssueInput,
  V4CreateIssueDto,
  V4MoveIssueDto,
  V4UpdateIssueDto,
} from './issue.dto.js';
import { V4IssuePresenter, V4SingleIssueView } from './issue.view.js';

@V4Controller('projects/:id/issues', 'Issues')
@RequiresEnabledToWrite('Issue')
export class V4IssuesController {
  constructor(
    private readonly kinds: IssuableKinds,
    private readonly issues: IssuesService,
    private readonly moves: IssueMovesService,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly presenter: V4IssuePresenter,
    private readonly users: V4UserPresenter,
  ) {}

  /** One issue; confidential ones only for users who may read them. */
  @Get(':issue_iid')
  @Requires('issue:browse')
  @Answers(V4SingleIssueView)
  async read(
    @MaybeCaller() caller: User | null,
    @Access() access: ProjectAccess,
    @Param('issue_iid') iid: number,
  ): Promise<V4SingleIssueView> {
    return this.presenter.presentOne(await this.issues.read(access, caller, { iid }));
  }

  /** Creates an issue. Fields that the caller may not set are ignored. */
  @Post()
  @Requires('issue:create')
  @TakesBody(TEXT_BODY)
  @Answers(V4SingleIssueView)
  async create(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Body() body: V4CreateIssueDto,
  ): Promise<V4SingleIssueView> {
    const issue = await this.issues.create(access, caller, toCreateIssueInput(body));
    return this.presenter.presentOne(issue);
  }

  /** Updates, closes or reopens an issue. Fields that the caller may not change are ignored. */
  @Put(':issue_iid')
  @Requires('issue:edit')
  @TakesBody(TEXT_BODY)
  @Answers(V4SingleIssueView)
  async update(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('issue_iid') iid: number,
    @Body() body: V4UpdateIssueDto,
  ): Promise<V4SingleIssueView> {
    const { id } = await this.find(access.project, iid);
    const issue = await this.issues.update(access, caller, id, toUpdateIssueInput(body));
    return this.presenter.presentOne(issue);
  }

  /** Deletes an issue; for administrators and project owners. */
  @Delete(':issue_iid')
  @Requires('issue:delete')
  @AnswersNothing()
  async remove(
    @Caller() caller: User,
    @InProject() project: ProjectRef,
    @Param('issue_iid') iid: number,
  ): Promise<void> {
    const { id } = await this.find(project, iid);
    await this.issues.remove(project, caller, id);
  }

  /** Moves an issue to another project and returns the new issue. */
  @Post(':issue_iid/move')
  @Requires('issue:move')
  @Answers(V4SingleIssueView)
  async move(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('issue_iid') iid: number,
    @Body() { to_project_id: targetId }: V4MoveIssueDto,
  ): Promise<V4SingleIssueView> {
    const { id } = await this.find(access.project, iid);
    return this.presenter.presentOne(await this.moves.move(access, caller, id, targetId));
  }

  /** The users who take part in an issue: its author, its assignee, and those who commented or were mentioned. */
  @Get(':issue_iid/participants')
  @Requires('issue:browse')
  @AnswersList(V4UserBasicView)
  async participants(
    @MaybeCaller() caller: User | null,
    @Access() access: ProjectAccess,
    @Param('issue_iid') iid: number,
    @Query() query: PageQuery,
  ): Promise<Page<V4UserBasicView>> {
    const issue = await this.kinds.readByNumber('Issue', access, caller, iid);
    const page = await this.subscriptions.listParticipants(issue, query);
    return mapPage(page, (user) => this.users.basic(user));
  }

  /** Whether the caller may read or change it, the service checks. */
  private find({ id: projectId }: ProjectRef, iid: number) {
    return this.kinds.findByNumber('Issue', { projectId, iid });
  }
}
