import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import {
  Answers,
  AnswersList,
  mapPage,
  type Page,
  restOfPath,
} from '../../../platform/http/index.js';
import { Caller, InProject, type ProjectRef, Requires } from '../../access/index.js';
import { User } from '../../users/index.js';
import { CommitStatusPresenter } from './commit-status.presenter.js';
import { CommitStatusView } from './commit-status.view.js';
import { ListStatusesDto } from './dto/list-statuses.dto.js';
import { PostStatusDto } from './dto/post-status.dto.js';
import { ListStatuses } from './list-statuses.js';
import { PostStatus } from './post-status.js';

const DEFAULT_NAME = 'default';

@Controller('projects/:id')
export class CommitStatusesController {
  constructor(
    private readonly listing: ListStatuses,
    private readonly posting: PostStatus,
    private readonly presenter: CommitStatusPresenter,
  ) {}

  /** The statuses of a commit, the oldest first. */
  @Get('repository/commits/:sha/statuses')
  @Requires('code:read')
  @AnswersList(CommitStatusView)
  async list(
    @InProject() project: ProjectRef,
    @Param('sha') sha: string,
    @Query() { ref, stage, name, all, ...request }: ListStatusesDto,
  ): Promise<Page<CommitStatusView>> {
    const page = await this.listing.run(project, sha, { ref, stage, name, all }, request);
    return mapPage(page, (status) => this.presenter.present(status));
  }

  /** Adds a status to a commit, or moves the unfinished one of the same ref and name on. */
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
    return this.presenter.present(await this.posting.run(project, restOfPath(sha), caller, input));
  }
}
