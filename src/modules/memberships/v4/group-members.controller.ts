import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import {
  Answers,
  AnswersList,
  AnswersNothing,
  MayAnswer,
  UnlessModified,
} from '../../../platform/http/index.js';
import { mapPage, type Page } from '../../../platform/pagination/index.js';
import {
  AccessToGroup,
  Caller,
  type GroupAccess,
  type GroupRef,
  InGroup,
  Requires,
} from '../../authorization/index.js';
import { Audits } from '../../audit/index.js';
import type { User } from '../../users/index.js';
import { V4UserPresenter } from '../../users/v4/index.js';
import { GroupMembersService } from '../members/group-members.service.js';
import {
  toV4MemberChange,
  toV4Membership,
  V4AddGroupMemberDto,
  V4ChangeGroupMemberDto,
  V4ListMembersDto,
} from './member.dto.js';
import { presentV4Member, V4MemberView } from './member.view.js';

/** Groups have no parents, so that all members are direct ones. */
@V4Controller('groups/:id/members', 'GroupMembers')
export class V4GroupMembersController {
  constructor(
    private readonly members: GroupMembersService,
    private readonly users: V4UserPresenter,
  ) {}

  /** The members of a group, the newest account first. */
  @Get()
  @Requires('group-member:read')
  @AnswersList(V4MemberView)
  list(
    @InGroup() group: GroupRef,
    @Caller() caller: User,
    @Query() query: V4ListMembersDto,
  ): Promise<Page<V4MemberView>> {
    return this.page(group, caller, query);
  }

  /** The same as `GET /groups/:id/members`. */
  @Get('all')
  @Requires('group-member:read')
  @AnswersList(V4MemberView)
  listAny(
    @InGroup() group: GroupRef,
    @Caller() caller: User,
    @Query() query: V4ListMembersDto,
  ): Promise<Page<V4MemberView>> {
    return this.page(group, caller, query);
  }

  /** The same as `GET /groups/:id/members/:user_id`. */
  @Get('all/:user_id')
  @Requires('group-member:read')
  @Answers(V4MemberView)
  async readAny(
    @InGroup() group: GroupRef,
    @Param('user_id') userId: number,
  ): Promise<V4MemberView> {
    return presentV4Member(await this.members.read(group, userId), this.users);
  }

  /** One member of a group. */
  @Get(':user_id')
  @Requires('group-member:read')
  @Answers(V4MemberView)
  async read(@InGroup() group: GroupRef, @Param('user_id') userId: number): Promise<V4MemberView> {
    return presentV4Member(await this.members.read(group, userId), this.users);
  }

  /** Adds a member; 409 for a user who is one already. */
  @Post()
  @Requires('group-member:edit')
  @Audits('member.added')
  @Answers(V4MemberView)
  @MayAnswer(409)
  async add(@InGroup() group: GroupRef, @Body() body: V4AddGroupMemberDto): Promise<V4MemberView> {
    return presentV4Member(await this.members.add(group, toV4Membership(body)), this.users);
  }

  /** Changes the level and end of a member; 403 for reducing those of the last owner. */
  @Put(':user_id')
  @Requires('group-member:edit')
  @Audits('member.updated')
  @Answers(V4MemberView)
  async change(
    @InGroup() group: GroupRef,
    @Param('user_id') userId: number,
    @Body() body: V4ChangeGroupMemberDto,
  ): Promise<V4MemberView> {
    const member = await this.members.change(group, userId, toV4MemberChange(body));
    return presentV4Member(member, this.users);
  }

  /** Removes a member, or leaves the group; 403 for the last owner. */
  @Delete(':user_id')
  @UnlessModified()
  @Requires('group-member:remove')
  @Audits('member.removed')
  @AnswersNothing()
  async remove(
    @Caller() caller: User,
    @AccessToGroup() access: GroupAccess,
    @Param('user_id') userId: number,
  ): Promise<void> {
    await this.members.remove(caller, access, userId);
  }

  private async page(
    group: GroupRef,
    caller: User,
    query: V4ListMembersDto,
  ): Promise<Page<V4MemberView>> {
    const page = await this.members.list(group, caller, query.query, query);
    return mapPage(page, (member) => presentV4Member(member, this.users));
  }
}
