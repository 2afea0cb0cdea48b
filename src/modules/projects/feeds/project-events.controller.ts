import { Controller, Get, Query } from '@nestjs/common';
import { AnswersList, mapPage, type Page, PageQuery } from '../../../platform/http/index.js';
import {
  Access,
  type Account,
  MaybeCaller,
  type ProjectAccess,
  Requires,
} from '../../access/index.js';
import { EventPresenter } from './event.presenter.js';
import { EventView } from './event.view.js';
import { FeedsService } from './feeds.service.js';

@Controller('projects')
export class ProjectEventsController {
  constructor(
    private readonly feeds: FeedsService,
    private readonly presenter: EventPresenter,
  ) {}

  /** What happened in a project, newest first; in public ones without a credential too. */
  @Get(':id/events')
  @Requires('project:read')
  @AnswersList(EventView)
  async list(
    @MaybeCaller() reader: Account | null,
    @Access() access: ProjectAccess,
    @Query() query: PageQuery,
  ): Promise<Page<EventView>> {
    const page = await this.feeds.ofProject(access, reader, query);
    return mapPage(page, (event) => this.presenter.present(event));
  }
}
