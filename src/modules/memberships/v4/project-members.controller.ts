import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import { recordNotFound } from '../../../platform/errors/index.js';
import {
  Answers,
  AnswersList,
  AnswersNothing,
  MayAnswer,
  PageQuery,
  StringParam,
  UnlessModified,
} from '../../../platform/http/index.js';
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
import type { User } from '../../users/index.js';
import { V4UserBasicView, V4UserPresenter } from '../../users/v4/index.js';
import { ProjectMembersService } from '../members/project-members.service.js';
import {
  toV4MemberChange,
  toV4Membership,
  V4AddProjectMemberDto,
  V4ChangeProjectMemberDto,
  V4ListMembersDto,
} from './member.dto.js';
import { presentV4Member, V4MemberView } from './member.view.js';

@V4Controller('projects/:id/members', 'ProjectMembers')
export class V4ProjectMembersController {
  constructor(
    private readonly members: ProjectMembersService,
    private readonly users: V4UserPresenter,
  ) {}

  /** The direct members of a project, the newest account first. */
  @Get()
  @Requires('project:read-members')
  @AnswersList(V4MemberView)
  async list(
    @InProject() project: ProjectRef,
    @Caller() caller: User,
    @Query() query: V4ListMembersDto,
  ): Promise<Page<V4MemberView>> {
    const page = await this.members.list(project, caller, query.query, query);
    return mapPage(page, (member) => presentV4Member(member, this.users));
  }

  /**
   * The members with access in any way, each with the highest level: direct ones, those of the group, the owner of the
   * namespace, and members of groups that the project is shared with as far as the caller may see them.
   */
  @Get('all')
  @Requires('project:read-members')
  @AnswersList(V4MemberView)
  async listAny(
    @InProject() project: ProjectRef,
    @Caller() caller: User,
    @Query() query: V4ListMembersDto,
  ): Promise<Page<V4MemberView>> {
    const page = await this.members.listAny(project, caller, query.query, query);
    return mapPage(page, (member) => presentV4Member(member, this.users));
  }

  /** One member with access in any way, with the highest level. */
  @Get('all/:user_id')
  @Requires('project:read-members')
  @Answers(V4MemberView)
  async readAny(
    @InProject() project: ProjectRef,
    @Caller() caller: User,
    @Param('user_id') userId: number,
  ): Promise<V4MemberView> {
    return presentV4Member(await this.members.readAny(project, caller, userId), this.users);
  }

  /** One direct member of a project. */
  @Get(':user_id')
  @Requires('project:read-members')
  @Answers(V4MemberView)
  async read(
    @InProject() project: ProjectRef,
    @Param('user_id') userId: number,
  ): Promise<V4MemberView> {
    return presentV4Member(await this.members.read(project, userId), this.users);
  }

  /** Adds a member; 409 for a user who is one already. */
  @Post()
  @Requires('project-member:edit')
  @Audits('member.added')
  @Answers(V4MemberView)
  @MayAnswer(409)
  async add(
    @InProject() project: ProjectRef,
    @Body() body: V4AddProjectMemberDto,
  ): Promise<V4MemberView> {
    const added = await this.members.add(project, toV4Membership(body), { refusesPresent: true });
    return presentV4Member(added, this.users);
  }

  /** Changes a member's level and expiry. Those of the personal namespace's owner cannot be reduced (403). */
  @Put(':user_id')
  @Requires('project-member:edit')
  @Audits('member.updated')
  @Answers(V4MemberView)
  async change(
    @InProject() project: ProjectRef,
    @Param('user_id') userId: number,
    @Body() body: V4ChangeProjectMemberDto,
  ): Promise<V4MemberView> {
    const member = await this.members.change(project, userId, toV4MemberChange(body));
    return presentV4Member(member, this.users);
  }

  /** Removes a member, or the caller. */
  @Delete(':user_id')
  @UnlessModified()
  @Requires('project-member:remove')
  @Audits('member.removed')
  @AnswersNothing()
  async remove(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('user_id') userId: number,
  ): Promise<void> {
    if ((await this.members.remove(caller, access, userId)) === null)
      throw recordNotFound('member');
  }
}

/** `GET /projects/:id/users`. */
class V4ListProjectUsersDto extends PageQuery {
  @StringParam({
    blank: 'absent',
    description: 'Part of a name or user name; for administrators also of an e-mail address.',
  })
  search?: string;
}

@V4Controller('projects/:id/users', 'ProjectUsers')
export class V4ProjectUsersController {
  constructor(
    private readonly members: ProjectMembersService,
    private readonly users: V4UserPresenter,
  ) {}

  /**
   * All users with access: members, those of the group, the namespace's owner, and members of groups that the project is shared
   * with as far as the caller may see them.
   */
  @Get()
  @Requires('project:read-members')
  @AnswersList(V4UserBasicView)
  async list(
    @Caller() caller: User,
    @InProject() project: ProjectRef,
    @Query() query: V4ListProjectUsersDto,
  ): Promise<Page<V4UserBasicView>> {
    const users = await this.members.listUsers(project, caller, query.search, query);
    return mapPage(users, (user) => this.users.basic(user));
  }
}
