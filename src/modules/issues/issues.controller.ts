import { Body, Controller, Delete, Get, Param, Post, Put } from '@nestjs/common';
import { Answers } from '../../platform/http/index.js';
import {
  Access,
  Caller,
  InProject,
  type ProjectAccess,
  type ProjectRef,
  Requires,
} from '../access/index.js';
import { User } from '../users/index.js';
import { CreateIssueDto, toCreateIssueInput } from './dto/create-issue.dto.js';
import { toUpdateIssueInput, UpdateIssueDto } from './dto/update-issue.dto.js';
import { IssueAnswers } from './issue-answers.js';
import { IssueView } from './issue.view.js';
import { CreateFollowUp } from './writes/create-follow-up.js';
import { DeleteIssue } from './writes/delete-issue.js';
import { UpdateIssue } from './writes/update-issue.js';

@Controller('projects/:id/issues')
export class IssuesController {
  constructor(
    private readonly answers: IssueAnswers,
    private readonly creation: CreateFollowUp,
    private readonly changes: UpdateIssue,
    private readonly deletion: DeleteIssue,
  ) {}

  /** One issue; confidential ones for those who may know of them. */
  @Get(':issue_id')
  @Requires('issue:read')
  @Answers(IssueView)
  read(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('issue_id') id: number,
  ): Promise<IssueView> {
    return this.answers.read(access, caller, id);
  }

  /** Makes an issue, with what the caller may say of it. */
  @Post()
  @Requires('issue:create')
  @Answers(IssueView)
  async create(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Body() body: CreateIssueDto,
  ): Promise<IssueView> {
    const iid = body.merge_request_for_resolving_discussions;
    const input = toCreateIssueInput(body);
    return this.answers.of(await this.creation.run(access, caller, iid, input));
  }

  /** Changes, closes or reopens an issue, as far as the caller may. */
  @Put(':issue_id')
  @Requires('issue:edit')
  @Answers(IssueView)
  async update(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('issue_id') id: number,
    @Body() body: UpdateIssueDto,
  ): Promise<IssueView> {
    const issue = await this.changes.run(access, caller, id, toUpdateIssueInput(body));
    return this.answers.as(caller, issue);
  }

  /** Deletes an issue and answers it as it was; for administrators and project owners. */
  @Delete(':issue_id')
  @Requires('issue:delete')
  @Answers(IssueView)
  async remove(
    @Caller() caller: User,
    @InProject() project: ProjectRef,
    @Param('issue_id') id: number,
  ): Promise<IssueView> {
    return this.answers.of(await this.deletion.run(project, caller, id));
  }
}
