import { Body, Controller, Param, Post } from '@nestjs/common';
import { Answers } from '../../../platform/http/index.js';
import { Access, Caller, type ProjectAccess, Requires } from '../../access/index.js';
import { User } from '../../users/index.js';
import { MoveIssueDto } from '../dto/move-issue.dto.js';
import { IssueAnswers } from '../issue-answers.js';
import { IssueView } from '../issue.view.js';
import { MoveIssue } from './move-issue.js';

@Controller('projects/:id/issues/:issue_id/move')
export class IssueMovesController {
  constructor(
    private readonly moving: MoveIssue,
    private readonly answers: IssueAnswers,
  ) {}

  /** Moves an issue to another project and answers what it is there. */
  @Post()
  @Requires('issue:move')
  @Answers(IssueView)
  async move(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('issue_id') id: number,
    @Body() { to_project_id: targetId }: MoveIssueDto,
  ): Promise<IssueView> {
    return this.answers.as(caller, await this.moving.run(access, caller, id, targetId));
  }
}
