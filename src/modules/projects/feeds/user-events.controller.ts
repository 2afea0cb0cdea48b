import { Controller, Get, Param, Query } from '@nestjs/common';
import {
  AnswersList,
  mapPage,
  type Page,
  PageQuery,
  PathIds,
} from '../../../platform/http/index.js';
import { Caller, Requires } from '../../access/index.js';
import { User } from '../../users/index.js';
import { EventPresenter } from './event.presenter.js';
import { EventView } from './event.view.js';
import { FeedsService } from './feeds.service.js';

@Controller('users')
@PathIds({ id: 'no route' })
export class UserEventsController {
  constructor(
    private readonly feeds: FeedsService,
    private readonly presenter: EventPresenter,
  ) {}

  /** What a user did in the projects that the caller sees, newest first. */
  @Get(':id/events')
  @Requires('user:read')
  @AnswersList(EventView)
  async list(
    @Caller() caller: User,
    @Param('id') id: number,
    @Query() query: PageQuery,
  ): Promise<Page<EventView>> {
    const page = await this.feeds.ofUser(id, caller, query);
    return mapPage(page, (event) => this.presenter.present(event));
  }
}
