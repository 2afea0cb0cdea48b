import { Body, Delete, Get, Param, Post, Put } from '@nestjs/common';
import { V3Controller } from '../../../faces/index.js';
import { Answers, TakesBody } from '../../../platform/http/index.js';
import { TEXT_BODY } from '../../../platform/limits/index.js';
import { Urls } from '../../../platform/config/index.js';
import {
  Access,
  Caller,
  InProject,
  type ProjectAccess,
  type ProjectRef,
  Requires,
} from '../../authorization/index.js';
import { RequiresEnabledToWrite } from '../../issuables/index.js';
import { User } from '../../users/index.js';
import {
  CreateIssueDto,
  MoveIssueDto,
  toCreateIssueInput,
  toUpdateIssueInput,
  UpdateIssueDto,
} from './issue.dto.js';
import { IssueView, presentIssue } from './issue.view.js';
import { IssuesService } from '../issues.service.js';
import { IssueMovesService } from '../moves/issue-moves.service.js';

@V3Controller('projects/:id/issues', 'Issues')
@RequiresEnabledToWrite('Issue')
export class IssuesController {
  constructor(
    private readonly issues: IssuesService,
    private readonly urls: Urls,
  ) {}

  /** One issue; confidential ones only for users who may read them. */
  @Get(':issue_id')
  @Requires('issue:read')
  @Answers(IssueView)
  async read(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('issue_id') id: number,
  ): Promise<IssueView> {
    return presentIssue(await this.issues.read(access, caller, id), this.urls);
  }

  /** Creates an issue. Fields that the caller may not set are ignored. */
  @Post()
  @Requires('issue:create')
  @TakesBody(TEXT_BODY)
  @Answers(IssueView)
  async create(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Body() body: CreateIssueDto,
  ): Promise<IssueView> {
    const issue = await this.issues.create(access, caller, toCreateIssueInput(body));
    return presentIssue(issue, this.urls);
  }

  /** Updates, closes or reopens an issue. Fields that the caller may not change are ignored. */
  @Put(':issue_id')
  @Requires('issue:edit')
  @TakesBody(TEXT_BODY)
  @Answers(IssueView)
  async update(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('issue_id') id: number,
    @Body() body: UpdateIssueDto,
  ): Promise<IssueView> {
    const issue = await this.issues.update(access, caller, id, toUpdateIssueInput(body));
    return presentIssue(issue, this.urls);
  }

  /** Deletes an issue and returns it; for administrators and project owners. */
  @Delete(':issue_id')
  @Requires('issue:delete')
  @Answers(IssueView)
  async remove(
    @Caller() caller: User,
    @InProject() project: ProjectRef,
    @Param('issue_id') id: number,
  ): Promise<IssueView> {
    return presentIssue(await this.issues.remove(project, caller, id), this.urls);
  }
}

@V3Controller('projects/:id/issues/:issue_id/move', 'IssueMoves')
@RequiresEnabledToWrite('Issue')
export class IssueMovesController {
  constructor(
    private readonly moves: IssueMovesService,
    private readonly urls: Urls,
  ) {}

  /** Moves an issue to another project and returns the new issue. */
  @Post()
  @Requires('issue:move')
  @Answers(IssueView)
  async move(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('issue_id') id: number,
    @Body() { to_project_id: targetId }: MoveIssueDto,
  ): Promise<IssueView> {
    return presentIssue(await this.moves.move(access, caller, id, targetId), this.urls);
  }
}
