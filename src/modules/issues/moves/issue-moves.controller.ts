import { Body, Controller, Param, Post } from '@nestjs/common';
import { Answers } from '../../../platform/http/index.js';
import { Urls } from '../../../platform/urls/index.js';
import { Access, Caller, type ProjectAccess, Requires } from '../../access/index.js';
import { RequiresEnabledToWrite } from '../../issuables/index.js';
import { User } from '../../users/index.js';
import { MoveIssueDto } from '../issue.dto.js';
import { IssueView, presentIssue } from '../issue.view.js';
import { IssueMovesService } from './issue-moves.service.js';

@Controller('projects/:id/issues/:issue_id/move')
@RequiresEnabledToWrite('Issue')
export class IssueMovesController {
  constructor(
    private readonly moves: IssueMovesService,
    private readonly urls: Urls,
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
    return presentIssue(await this.moves.move(access, caller, id, targetId), this.urls);
  }
}
