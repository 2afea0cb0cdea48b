import { Body, Delete, Get, Post, Query } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import { Urls } from '../../../platform/config/index.js';
import {
  Answers,
  AnswersList,
  FixedStatus,
  MayAnswer,
  PageQuery,
  UnlessModified,
} from '../../../platform/http/index.js';
import type { SlotCaller } from '../../../platform/limits/index.js';
import { mapPage, Page } from '../../../platform/pagination/index.js';
import {
  Caller,
  Client,
  type GroupRef,
  InGroup,
  MaybeCaller,
  Requires,
} from '../../authorization/index.js';
import { Audits } from '../../audit/index.js';
import { User } from '../../users/index.js';
import { GroupsService } from '../groups.service.js';
import {
  followedByNames,
  toV4CreateGroupInput,
  toV4GroupFilters,
  toV4GroupsRequest,
  V4CreateGroupDto,
  V4ListGroupsDto,
} from './group.dto.js';
import { presentV4Group, V4GroupDeletionView, V4GroupView } from './group.view.js';

@V4Controller('groups', 'Groups')
export class V4GroupsController {
  constructor(
    private readonly groups: GroupsService,
    private readonly urls: Urls,
  ) {}

  /** The caller's groups, or all that the caller may see; for administrators every group, without a credential public ones. */
  @Get()
  @Requires('group:search')
  @AnswersList(V4GroupView)
  @MayAnswer(405, 422)
  async list(
    @MaybeCaller() reader: User | null,
    @Client() client: SlotCaller,
    @Query() query: V4ListGroupsDto,
  ): Promise<Page<V4GroupView>> {
    const filters = toV4GroupFilters(query);
    const page = await this.groups.list({ reader, client }, filters, toV4GroupsRequest(query));
    return mapPage(followedByNames(page, query), (group) => presentV4Group(group, this.urls));
  }

  /** Creates a group that the caller owns; for administrators and users who may create groups. */
  @Post()
  @Requires('group:create')
  @Audits('group.created')
  @Answers(V4GroupView)
  async create(@Caller() caller: User, @Body() body: V4CreateGroupDto): Promise<V4GroupView> {
    return presentV4Group(await this.groups.create(caller, toV4CreateGroupInput(body)), this.urls);
  }

  /** Deletes a group with all its projects, which disappear at once. */
  @Delete(':id')
  @UnlessModified()
  @Requires('group:edit')
  @Audits('group.deleted')
  @FixedStatus(202)
  @Answers(V4GroupDeletionView)
  async delete(@InGroup() group: GroupRef): Promise<V4GroupDeletionView> {
    await this.groups.delete(group);
    return { message: '202 Accepted' };
  }

  /** The subgroups of a group: none. */
  @Get([':id/subgroups', ':id/descendant_groups'])
  @Requires('group:browse')
  @AnswersList(V4GroupView)
  listSubgroups(@Query() query: PageQuery): Page<V4GroupView> {
    return Page.of<V4GroupView>([], query);
  }
}
