import { Body, Delete, Get, Post, Query } from '@nestjs/common';
import { V3Controller } from '../../../faces/index.js';
import { Urls } from '../../../platform/config/index.js';
import { Answers, AnswersList, PageQuery } from '../../../platform/http/index.js';
import type { SlotCaller } from '../../../platform/limits/index.js';
import { mapPage, type Page } from '../../../platform/pagination/index.js';
import { Caller, Client, type GroupRef, InGroup, Requires } from '../../authorization/index.js';
import { Audits } from '../../audit/index.js';
import type { User } from '../../users/index.js';
import { CreateGroupDto, ListGroupsDto, toCreateGroupInput, toGroupFilters } from './group.dto.js';
import { GroupView, presentGroup } from './group.view.js';
import { GroupsService } from '../groups.service.js';
import type { Namespace } from '../namespaces/namespace.entity.js';

@V3Controller('groups', 'Groups')
export class GroupsController {
  constructor(
    private readonly groups: GroupsService,
    private readonly urls: Urls,
  ) {}

  /** The caller's groups, or all that the caller may see; for administrators every group. */
  @Get()
  @Requires('group:list')
  @AnswersList(GroupView)
  async list(
    @Caller() reader: User,
    @Client() client: SlotCaller,
    @Query() query: ListGroupsDto,
  ): Promise<Page<GroupView>> {
    const filters = toGroupFilters(query);
    return this.present(await this.groups.list({ reader, client }, filters, query));
  }

  /** The groups that the caller owns, by name. */
  @Get('owned')
  @Requires('group:list')
  @AnswersList(GroupView)
  async listOwned(@Caller() caller: User, @Query() query: PageQuery): Promise<Page<GroupView>> {
    const page = await this.groups.listOwned(caller, query);
    return this.present(page);
  }

  /** Creates a group that the caller owns; for administrators and users who may create groups. */
  @Post()
  @Requires('group:create')
  @Audits('group.created')
  @Answers(GroupView)
  async create(@Caller() caller: User, @Body() body: CreateGroupDto): Promise<GroupView> {
    return presentGroup(await this.groups.create(caller, toCreateGroupInput(body)), this.urls);
  }

  /** Deletes a group with all its projects, which disappear at once. */
  @Delete(':id')
  @Requires('group:edit')
  @Audits('group.deleted')
  @Answers(GroupView)
  async delete(@InGroup() group: GroupRef): Promise<GroupView> {
    return presentGroup(await this.groups.delete(group), this.urls);
  }

  private present(page: Page<Namespace>): Page<GroupView> {
    return mapPage(page, (group) => presentGroup(group, this.urls));
  }
}
