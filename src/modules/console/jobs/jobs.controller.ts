import { Body, Get, Param, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import {
  IntegerParam,
  PageQuery,
  PathIds,
  StringParam,
  TakesBody,
} from '../../../platform/http/index.js';
import { ANONYMOUS_BODY } from '../../../platform/limits/index.js';
import { Requires } from '../../authorization/index.js';
import { Audits } from '../../audit/index.js';
import type { User } from '../../users/index.js';
import { OnlyAdministrators, PageController, PageSender, SignedIn } from '../../web/index.js';
import type { Notice } from '../html/notices.js';
import { jobPage, jobsPage } from './jobs-pages.js';
import { ConsoleJobsService } from './jobs.service.js';

class ListJobsDto extends PageQuery {
  @StringParam({ blank: 'absent', maxLength: 64 })
  queue?: string;

  @StringParam()
  notice?: string;
}

class ShowJobDto {
  @StringParam()
  notice?: string;
}

/** A form about the failure of a job that its page shows. */
class FailureDto {
  @IntegerParam({ required: true, min: 0 })
  round!: number;
}

/** `/admin/jobs` */
@PageController('admin/jobs')
@OnlyAdministrators()
@PathIds({ id: 'long' })
export class ConsoleJobsController {
  constructor(
    private readonly jobs: ConsoleJobsService,
    private readonly pages: PageSender,
  ) {}

  @Get()
  @Requires('page:open')
  async list(@Query() query: ListJobsDto, @Res() response: Response): Promise<void> {
    const [queues, failed] = await Promise.all([
      this.jobs.readQueues(),
      this.jobs.listFailed(query.queue, query),
    ]);
    this.pages.send(response, jobsPage({ ...query, queues, failed }));
  }

  @Get(':id')
  @Requires('page:open')
  async show(
    @Param('id') id: number,
    @Query() { notice }: ShowJobDto,
    @Res() response: Response,
  ): Promise<void> {
    this.pages.send(response, jobPage(await this.jobs.read(id), notice));
  }

  @Post(':id/retry')
  @Requires('page:open')
  @Audits('job.retried')
  @TakesBody(ANONYMOUS_BODY)
  async retry(
    @Param('id') id: number,
    @Body() { round }: FailureDto,
    @SignedIn() author: User,
    @Res() response: Response,
  ): Promise<void> {
    const isRetried = await this.jobs.retry(id, round, author);
    this.goToList(response, isRetried ? 'job-retried' : 'job-changed');
  }

  @Post(':id/remove')
  @Requires('page:open')
  @Audits('job.removed')
  @TakesBody(ANONYMOUS_BODY)
  async remove(
    @Param('id') id: number,
    @Body() { round }: FailureDto,
    @SignedIn() author: User,
    @Res() response: Response,
  ): Promise<void> {
    const isRemoved = await this.jobs.remove(id, round, author);
    this.goToList(response, isRemoved ? 'job-removed' : 'job-changed');
  }

  private goToList(response: Response, notice: Notice): void {
    this.pages.redirect(response, `/admin/jobs?notice=${notice}`);
  }
}
