import { Get, Param, Query } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import { AnswersList } from '../../../platform/http/index.js';
import type { SlotCaller } from '../../../platform/limits/index.js';
import { mapPage, type Page } from '../../../platform/pagination/index.js';
import {
  Access,
  type Account,
  Caller,
  Client,
  type ListReader,
  MaybeCaller,
  type ProjectAccess,
  Requires,
} from '../../authorization/index.js';
import { User, UsersService } from '../../users/index.js';
import { FeedsService } from '../feeds.service.js';
import { toEventFilter, V4ListEventsDto, V4ListOwnEventsDto } from './event.dto.js';
import { V4EventPresenter, V4EventView } from './event.view.js';

@V4Controller('', 'Events')
export class V4EventsController {
  constructor(
    private readonly feeds: FeedsService,
    private readonly users: UsersService,
    private readonly presenter: V4EventPresenter,
  ) {}

  /** The events of the caller, or of all projects that the caller is a member of, newest first. */
  @Get('events')
  @Requires('self:read')
  @AnswersList(V4EventView)
  async listOwn(
    @Caller() reader: User,
    @Client() client: SlotCaller,
    @Query() query: V4ListOwnEventsDto,
  ): Promise<Page<V4EventView>> {
    if (query.scope === undefined) return this.listOfUser(reader, { reader, client }, query);
    const page = await this.feeds.listOfMember(reader, client, query, toEventFilter(query));
    return mapPage(page, (event) => this.presenter.present(event));
  }

  /** The events of a user, by ID or user name, in the projects that the caller sees, newest first. */
  @Get('users/:id/events')
  @Requires('user:search')
  @AnswersList(V4EventView)
  async listOf(
    @MaybeCaller() reader: User | null,
    @Client() client: SlotCaller,
    @Param('id') id: string,
    @Query() query: V4ListEventsDto,
  ): Promise<Page<V4EventView>> {
    const user = await this.users.readByReference(id);
    return this.listOfUser(user, { reader, client }, query);
  }

  /** The events of a project, newest first. Those of public projects need no credential. */
  @Get('projects/:id/events')
  @Requires('project:read')
  @AnswersList(V4EventView)
  async listOfProject(
    @MaybeCaller() reader: Account | null,
    @Access() access: ProjectAccess,
    @Query() query: V4ListEventsDto,
  ): Promise<Page<V4EventView>> {
    const page = await this.feeds.listOfProject(access, reader, query, toEventFilter(query));
    return mapPage(page, (event) => this.presenter.present(event));
  }

  private async listOfUser(
    { id }: User,
    reader: ListReader,
    query: V4ListEventsDto,
  ): Promise<Page<V4EventView>> {
    const page = await this.feeds.listOfUser(id, reader, query, toEventFilter(query));
    return mapPage(page, (event) => this.presenter.present(event));
  }
}
