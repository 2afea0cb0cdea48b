import { Body, Controller, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { Answers, AnswersList, mapPage, type Page } from '../../../platform/http/index.js';
import {
  AccessToGroup,
  Caller,
  type GroupAccess,
  type GroupRef,
  InGroup,
  Requires,
} from '../../access/index.js';
import type { User } from '../../users/index.js';
import { AddMemberDto, toMembership } from './dto/add-member.dto.js';
import { ChangeMemberDto, toMemberChange } from './dto/change-member.dto.js';
import { ListMembersDto } from './dto/list-members.dto.js';
import { GroupMembersService } from './group-members.service.js';
import { MemberPresenter } from './member.presenter.js';
import { MemberView } from './member.view.js';

@Controller('groups/:id/members')
export class GroupMembersController {
  constructor(
    private readonly members: GroupMembersService,
    private readonly presenter: MemberPresenter,
  ) {}

  /** The members of a group, the newest account first. */
  @Get()
  @Requires('group-member:read')
  @AnswersList(MemberView)
  async list(
    @InGroup() group: GroupRef,
    @Query() query: ListMembersDto,
  ): Promise<Page<MemberView>> {
    const page = await this.members.list(group, query.query, query);
    return mapPage(page, (member) => this.presenter.present(member));
  }

  /** One member of a group. */
  @Get(':user_id')
  @Requires('group-member:read')
  @Answers(MemberView)
  async read(@InGroup() group: GroupRef, @Param('user_id') userId: number): Promise<MemberView> {
    return this.presenter.present(await this.members.read(group, userId));
  }

  /** Makes somebody a member; who is one already stays as they are (409). */
  @Post()
  @Requires('group-member:edit')
  @Answers(MemberView)
  async add(@InGroup() group: GroupRef, @Body() body: AddMemberDto): Promise<MemberView> {
    return this.presenter.present(await this.members.add(group, toMembership(body)));
  }

  /** Changes a member's level and end; the last owner keeps theirs (403). */
  @Put(':user_id')
  @Requires('group-member:edit')
  @Answers(MemberView)
  async change(
    @InGroup() group: GroupRef,
    @Param('user_id') userId: number,
    @Body() body: ChangeMemberDto,
  ): Promise<MemberView> {
    return this.presenter.present(await this.members.change(group, userId, toMemberChange(body)));
  }

  /** Removes a member, or leaves the group; its last owner stays (403). */
  @Delete(':user_id')
  @Requires('group-member:remove')
  @Answers(MemberView)
  async remove(
    @Caller() caller: User,
    @AccessToGroup() access: GroupAccess,
    @Param('user_id') userId: number,
  ): Promise<MemberView> {
    return this.presenter.present(await this.members.remove(caller, access, userId));
  }
}
