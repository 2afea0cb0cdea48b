import { Get, Param, Query } from '@nestjs/common';
import { V3Controller } from '../../../faces/index.js';
import { AnswersList, PageQuery } from '../../../platform/http/index.js';
import type { SlotCaller } from '../../../platform/limits/index.js';
import { mapPage, type Page } from '../../../platform/pagination/index.js';
import {
  Access,
  type Account,
  Caller,
  Client,
  MaybeCaller,
  type ProjectAccess,
  Requires,
} from '../../authorization/index.js';
import { User } from '../../users/index.js';
import { EventPresenter, EventView } from './event.view.js';
import type { EventFilter } from '../feeds.repository.js';
import { FeedsService } from '../feeds.service.js';

/** Version 3 has no such events (docs/reference/events.md#what-is-recorded). */
const KNOWN: EventFilter = { exceptActions: ['approved'] };

@V3Controller('projects', 'ProjectEvents')
export class ProjectEventsController {
  constructor(
    private readonly feeds: FeedsService,
    private readonly presenter: EventPresenter,
  ) {}

  /** The events of a project, newest first. Those of public projects need no credential. */
  @Get(':id/events')
  @Requires('project:read')
  @AnswersList(EventView)
  async list(
    @MaybeCaller() reader: Account | null,
    @Access() access: ProjectAccess,
    @Query() query: PageQuery,
  ): Promise<Page<EventView>> {
    const page = await this.feeds.listOfProject(access, reader, query, KNOWN);
    return mapPage(page, (event) => this.presenter.present(event));
  }
}

@V3Controller('users', 'UserEvents')
export class UserEventsController {
  constructor(
    private readonly feeds: FeedsService,
    private readonly presenter: EventPresenter,
  ) {}

  /** The events of a user in the projects that the caller sees, newest first. */
  @Get(':id/events')
  @Requires('user:read')
  @AnswersList(EventView)
  async list(
    @Caller() reader: User,
    @Client() client: SlotCaller,
    @Param('id') id: number,
    @Query() query: PageQuery,
  ): Promise<Page<EventView>> {
    const page = await this.feeds.listOfUser(id, { reader, client }, query, KNOWN);
    return mapPage(page, (event) => this.presenter.present(event));
  }
}
