import { Body, Get, Param, Post, Query } from '@nestjs/common';
import { V4Controller } from '../../../../faces/index.js';
import { Answers, AnswersList, restOfPath } from '../../../../platform/http/index.js';
import { mapPage, type Page } from '../../../../platform/pagination/index.js';
import { Caller, InProject, type ProjectRef, Requires } from '../../../authorization/index.js';
import { User } from '../../../users/index.js';
import { V4UserPresenter } from '../../../users/v4/index.js';
import { CommitsService } from '../../commits/commits.service.js';
import {
  type AuthoredStatus,
  CommitStatusesService,
} from '../../commits/statuses/commit-statuses.service.js';
import { Pipelines } from '../../commits/statuses/pipelines.js';
import { V4ListStatusesDto, V4PostStatusDto } from './commit-status.dto.js';
import { V4CommitStatusView } from './commit-status.view.js';

const DEFAULT_NAME = 'default';

@V4Controller('projects/:id', 'CommitStatuses')
export class V4CommitStatusesController {
  constructor(
    private readonly statuses: CommitStatusesService,
    private readonly pipelines: Pipelines,
    private readonly commits: CommitsService,
    private readonly users: V4UserPresenter,
  ) {}

  /** The statuses of a commit, the oldest first. */
  @Get('repository/commits/:sha/statuses')
  @Requires('code:read')
  @AnswersList(V4CommitStatusView)
  async list(
    @InProject() project: ProjectRef,
    @Param('sha') revision: string,
    @Query() query: V4ListStatusesDto,
  ): Promise<Page<V4CommitStatusView>> {
    const { ref, stage, name, all } = query;
    const sha = await this.commits.resolve(project, revision);
    const page = await this.statuses.list(project, sha, { ref, stage, name, all }, query);
    const refs = page.items.map(({ status }) => status.ref);
    const ids = await this.pipelines.idsOf(project.id, sha, refs);
    return mapPage(page, (status) => this.present(status, ids));
  }

  /** Adds a status to a commit, or moves the unfinished one of the same ref and name to another state. */
  @Post('statuses/*sha')
  @Requires('status:post')
  @Answers(V4CommitStatusView)
  async post(
    @Caller() caller: User,
    @InProject() project: ProjectRef,
    @Param('sha') revision: string | string[],
    @Body() body: V4PostStatusDto,
  ): Promise<V4CommitStatusView> {
    const { state, name, context, description, coverage, target_url: targetUrl } = body;
    const { pipeline_id: id } = body;
    const sha = await this.commits.resolve(project, restOfPath(revision));
    const refOfPipeline =
      id === undefined ? undefined : await this.pipelines.refOf(project.id, sha, id);
    const ref = body.ref ?? refOfPipeline;
    const posted = await this.statuses.post(project, sha, caller, {
      state,
      ref,
      description,
      coverage,
      targetUrl,
      name: name ?? context ?? DEFAULT_NAME,
      refusesRepeated: true,
    });
    return this.present(posted, await this.pipelines.idsOf(project.id, sha, [posted.status.ref]));
  }

  private present(
    { status, author }: AuthoredStatus,
    pipelines: ReadonlyMap<string, number>,
  ): V4CommitStatusView {
    return {
      id: status.id,
      sha: status.sha,
      ref: status.ref,
      status: status.status,
      name: status.name,
      target_url: status.targetUrl,
      description: status.description,
      created_at: status.createdAt,
      started_at: status.startedAt,
      finished_at: status.finishedAt,
      allow_failure: status.allowFailure,
      coverage: status.coverage,
      pipeline_id: pipelines.get(status.ref) as number,
      author: this.users.basic(author),
    };
  }
}
