import { Body, Get, Param, Post, Query } from '@nestjs/common';
import { V3Controller } from '../../../../faces/index.js';
import { Answers, AnswersList, restOfPath } from '../../../../platform/http/index.js';
import { mapPage, type Page } from '../../../../platform/pagination/index.js';
import { Caller, InProject, type ProjectRef, Requires } from '../../../authorization/index.js';
import { User } from '../../../users/index.js';
import { UserPresenter } from '../../../users/v3/index.js';
import { ListStatusesDto, PostStatusDto } from './commit-status.dto.js';
import { CommitStatusView, presentCommitStatus } from './commit-status.view.js';
import { CommitStatusesService } from '../../commits/statuses/commit-statuses.service.js';

const DEFAULT_NAME = 'default';

@V3Controller('projects/:id', 'CommitStatuses')
export class CommitStatusesController {
  constructor(
    private readonly statuses: CommitStatusesService,
    private readonly users: UserPresenter,
  ) {}

  /** The statuses of a commit, the oldest first. */
  @Get('repository/commits/:sha/statuses')
  @Requires('code:read')
  @AnswersList(CommitStatusView)
  async list(
    @InProject() project: ProjectRef,
    @Param('sha') sha: string,
    @Query() query: ListStatusesDto,
  ): Promise<Page<CommitStatusView>> {
    const { ref, stage, name, all } = query;
    const page = await this.statuses.list(project, sha, { ref, stage, name, all }, query);
    return mapPage(page, (status) => presentCommitStatus(status, this.users));
  }

  /** Adds a status to a commit, or updates the unfinished one of the same ref and name. */
  @Post('statuses/*sha')
  @Requires('status:post')
  @Answers(CommitStatusView)
  async post(
    @Caller() caller: User,
    @InProject() project: ProjectRef,
    @Param('sha') sha: string | string[],
    @Body() { name, context, target_url: targetUrl, ...body }: PostStatusDto,
  ): Promise<CommitStatusView> {
    const input = { ...body, targetUrl, name: name ?? context ?? DEFAULT_NAME };
    const status = await this.statuses.post(project, restOfPath(sha), caller, input);
    return presentCommitStatus(status, this.users);
  }
}
