import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { V3Controller } from '../../../faces/index.js';
import { Answers, AnswersList } from '../../../platform/http/index.js';
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
import { UserPresenter } from '../../users/v3/index.js';
import { GroupMembersService } from '../members/group-members.service.js';
import {
  AddMemberDto,
  ChangeMemberDto,
  ListMembersDto,
  toMemberChange,
  toMembership,
} from './member.dto.js';
import { MemberView, presentMember } from './member.view.js';

@V3Controller('groups/:id/members', 'GroupMembers')
export class GroupMembersController {
  constructor(
    private readonly members: GroupMembersService,
    private readonly users: UserPresenter,
  ) {}

  /** The members of a group, the newest account first. */
  @Get()
  @Requires('group-member:read')
  @AnswersList(MemberView)
  async list(
    @InGroup() group: GroupRef,
    @Caller() caller: User,
    @Query() query: ListMembersDto,
  ): Promise<Page<MemberView>> {
    const page = await this.members.list(group, caller, query.query, query);
    return mapPage(page, (member) => presentMember(member, this.users));
  }

  /** One member of a group. */
  @Get(':user_id')
  @Requires('group-member:read')
  @Answers(MemberView)
  async read(@InGroup() group: GroupRef, @Param('user_id') userId: number): Promise<MemberView> {
    return presentMember(await this.members.read(group, userId), this.users);
  }

  /** Adds a member; 409 for a user who is one already. */
  @Post()
  @Requires('group-member:edit')
  @Audits('member.added')
  @Answers(MemberView)
  async add(@InGroup() group: GroupRef, @Body() body: AddMemberDto): Promise<MemberView> {
    return presentMember(await this.members.add(group, toMembership(body)), this.users);
  }

  /** Changes the level and end of a member; 403 for reducing those of the last owner. */
  @Put(':user_id')
  @Requires('group-member:edit')
  @Audits('member.updated')
  @Answers(MemberView)
  async change(
    @InGroup() group: GroupRef,
    @Param('user_id') userId: number,
    @Body() body: ChangeMemberDto,
  ): Promise<MemberView> {
    return presentMember(
      await this.members.change(group, userId, toMemberChange(body)),
      this.users,
    );
  }

  /** Removes a member, or leaves the group; 403 for the last owner. */
  @Delete(':user_id')
  @Requires('group-member:remove')
  @Audits('member.removed')
  @Answers(MemberView)
  async remove(
    @Caller() caller: User,
    @AccessToGroup() access: GroupAccess,
    @Param('user_id') userId: number,
  ): Promise<MemberView> {
    return presentMember(await this.members.remove(caller, access, userId), this.users);
  }
}
