import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { V3Controller } from '../../../faces/index.js';
import { Answers, AnswersList, PageQuery, StringParam } from '../../../platform/http/index.js';
import { mapPage, type Page } from '../../../platform/pagination/index.js';
import {
  Access,
  Caller,
  InProject,
  type ProjectAccess,
  type ProjectRef,
  Requires,
} from '../../authorization/index.js';
import { Audits } from '../../audit/index.js';
import { AccessRevokedView, MemberView, presentMember } from './member.view.js';
import {
  AddMemberDto,
  ChangeMemberDto,
  ListMembersDto,
  toMemberChange,
  toMembership,
} from './member.dto.js';
import type { User } from '../../users/index.js';
import { UserPresenter, UserSummaryView } from '../../users/v3/index.js';
import { ProjectMembersService } from '../members/project-members.service.js';

/** `GET /projects/:id/users`. */
class ListProjectUsersDto extends PageQuery {
  @StringParam({
    blank: 'absent',
    description: 'Part of a name or user name; for administrators also of an e-mail address.',
  })
  search?: string;
}

@V3Controller('projects/:id/members', 'ProjectMembers')
export class ProjectMembersController {
  constructor(
    private readonly members: ProjectMembersService,
    private readonly users: UserPresenter,
  ) {}

  /** The direct members of a project, the newest account first. */
  @Get()
  @Requires('project:read-members')
  @AnswersList(MemberView)
  async list(
    @InProject() project: ProjectRef,
    @Caller() caller: User,
    @Query() query: ListMembersDto,
  ): Promise<Page<MemberView>> {
    const page = await this.members.list(project, caller, query.query, query);
    return mapPage(page, (member) => presentMember(member, this.users));
  }

  /** One direct member of a project. */
  @Get(':user_id')
  @Requires('project:read-members')
  @Answers(MemberView)
  async read(
    @InProject() project: ProjectRef,
    @Param('user_id') userId: number,
  ): Promise<MemberView> {
    return presentMember(await this.members.read(project, userId), this.users);
  }

  /** Adds a member. An existing member is returned unchanged. */
  @Post()
  @Requires('project-member:edit')
  @Audits('member.added')
  @Answers(MemberView)
  async add(@InProject() project: ProjectRef, @Body() body: AddMemberDto): Promise<MemberView> {
    return presentMember(await this.members.add(project, toMembership(body)), this.users);
  }

  /** Changes a member's level and expiry. Those of the personal namespace's owner cannot be reduced (403). */
  @Put(':user_id')
  @Requires('project-member:edit')
  @Audits('member.updated')
  @Answers(MemberView)
  async change(
    @InProject() project: ProjectRef,
    @Param('user_id') userId: number,
    @Body() body: ChangeMemberDto,
  ): Promise<MemberView> {
    const member = await this.members.change(project, userId, toMemberChange(body));
    return presentMember(member, this.users);
  }

  /** Removes a member, or the caller. A user who is not a member is reported as revoked. */
  @Delete(':user_id')
  @Requires('project-member:remove')
  @Audits('member.removed')
  @Answers(MemberView, { or: AccessRevokedView })
  async remove(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('user_id') userId: number,
  ): Promise<MemberView | AccessRevokedView> {
    const member = await this.members.remove(caller, access, userId);
    return member === null
      ? { message: 'Access revoked', id: userId }
      : presentMember(member, this.users);
  }
}

@V3Controller('projects/:id/users', 'ProjectUsers')
export class ProjectUsersController {
  constructor(
    private readonly members: ProjectMembersService,
    private readonly users: UserPresenter,
  ) {}

  /**
   * All users with access: members, those of the group, the namespace's owner, and members of groups that the
   * project is shared with as far as the caller may see them.
   */
  @Get()
  @Requires('project:read-members')
  @AnswersList(UserSummaryView)
  async list(
    @Caller() caller: User,
    @InProject() project: ProjectRef,
    @Query() query: ListProjectUsersDto,
  ): Promise<Page<UserSummaryView>> {
    const page = await this.members.listUsers(project, caller, query.search, query);
    return mapPage(page, (user) => this.users.summary(user));
  }
}
