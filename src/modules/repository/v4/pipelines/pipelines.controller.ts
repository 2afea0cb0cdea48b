import { Get, Param, Query } from '@nestjs/common';
import { V4Controller } from '../../../../faces/index.js';
import { Answers, AnswersList } from '../../../../platform/http/index.js';
import { mapPage, Page } from '../../../../platform/pagination/index.js';
import { Access, type ProjectAccess, Requires } from '../../../authorization/index.js';
import { Pipelines } from '../../commits/statuses/pipelines.js';
import { V4CommitPresenter } from '../commits/commit.presenter.js';
import { V4PipelineView } from '../commits/commit.view.js';
import {
  toJobFilter,
  toPipelineFilter,
  V4ListJobsDto,
  V4ListPipelinesDto,
  V4ReadLatestPipelineDto,
} from './pipeline.dto.js';
import { V4JobView, V4PipelineDetailView, V4PipelinePresenter } from './pipeline.view.js';

/** Pipelines are derived from commit statuses. */
@V4Controller('projects/:id/pipelines', 'Pipelines')
export class V4PipelinesController {
  constructor(
    private readonly pipelines: Pipelines,
    private readonly commits: V4CommitPresenter,
    private readonly presenter: V4PipelinePresenter,
  ) {}

  /** The pipelines of a project, the newest first. */
  @Get()
  @Requires('pipeline:read')
  @AnswersList(V4PipelineView)
  async list(
    @Access() access: ProjectAccess,
    @Query() query: V4ListPipelinesDto,
  ): Promise<Page<V4PipelineView>> {
    const page = await this.pipelines.list(access, toPipelineFilter(query), query);
    return mapPage(page, (pipeline) => this.commits.pipeline(access.project, pipeline));
  }

  /** The pipeline of the newest commit of a branch or tag. */
  @Get('latest')
  @Requires('pipeline:read')
  @Answers(V4PipelineDetailView)
  async readLatest(
    @Access() access: ProjectAccess,
    @Query() { ref }: V4ReadLatestPipelineDto,
  ): Promise<V4PipelineDetailView> {
    const pipeline = await this.pipelines.readLatest(access, ref);
    return this.presenter.detail(access.project, pipeline);
  }

  /** One pipeline. */
  @Get(':pipeline_id')
  @Requires('pipeline:read')
  @Answers(V4PipelineDetailView)
  async read(
    @Access() access: ProjectAccess,
    @Param('pipeline_id') id: number,
  ): Promise<V4PipelineDetailView> {
    return this.presenter.detail(access.project, await this.pipelines.read(access, id));
  }

  /** The statuses of a pipeline, the newest first. */
  @Get(':pipeline_id/jobs')
  @Requires('pipeline:read')
  @AnswersList(V4JobView)
  async listJobs(
    @Access() access: ProjectAccess,
    @Param('pipeline_id') id: number,
    @Query() query: V4ListJobsDto,
  ): Promise<Page<V4JobView>> {
    const listed = await this.pipelines.listJobs(access, id, toJobFilter(query), query);
    return listed.jobs.withItems(this.presenter.jobs(access.project, listed));
  }
}
