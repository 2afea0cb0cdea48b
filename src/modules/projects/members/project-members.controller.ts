import { Body, Controller, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { Answers, AnswersList, mapPage, type Page } from '../../../platform/http/index.js';
import {
  Access,
  Caller,
  InProject,
  type ProjectAccess,
  type ProjectRef,
  Requires,
} from '../../access/index.js';
import {
  AddMemberDto,
  ChangeMemberDto,
  ListMembersDto,
  MemberPresenter,
  MemberView,
  toMemberChange,
  toMembership,
} from '../../groups/index.js';
import type { User } from '../../users/index.js';
import { AccessRevokedView } from './access-revoked.view.js';
import { ProjectMembersService } from './project-members.service.js';

@Controller('projects/:id/members')
export class ProjectMembersController {
  constructor(
    private readonly members: ProjectMembersService,
    private readonly presenter: MemberPresenter,
  ) {}

  /** The direct members of a project, the newest account first. */
  @Get()
  @Requires('project:read-members')
  @AnswersList(MemberView)
  async list(
    @InProject() project: ProjectRef,
    @Query() query: ListMembersDto,
  ): Promise<Page<MemberView>> {
    const page = await this.members.list(project, query.query, query);
    return mapPage(page, (member) => this.presenter.present(member));
  }

  /** One direct member of a project. */
  @Get(':user_id')
  @Requires('project:read-members')
  @Answers(MemberView)
  async read(
    @InProject() project: ProjectRef,
    @Param('user_id') userId: number,
  ): Promise<MemberView> {
    return this.presenter.present(await this.members.read(project, userId));
  }

  /** Makes somebody a member; who is one already is answered unchanged. */
  @Post()
  @Requires('project-member:edit')
  @Answers(MemberView)
  async add(@InProject() project: ProjectRef, @Body() body: AddMemberDto): Promise<MemberView> {
    return this.presenter.present(await this.members.add(project, toMembership(body)));
  }

  /** Changes a member's level and end; the owner of the personal namespace keeps theirs (403). */
  @Put(':user_id')
  @Requires('project-member:edit')
  @Answers(MemberView)
  async change(
    @InProject() project: ProjectRef,
    @Param('user_id') userId: number,
    @Body() body: ChangeMemberDto,
  ): Promise<MemberView> {
    const member = await this.members.change(project, userId, toMemberChange(body));
    return this.presenter.present(member);
  }

  /** Removes a member, or leaves the project; for somebody who is none the access is revoked too. */
  @Delete(':user_id')
  @Requires('project-member:remove')
  @Answers(MemberView, { or: AccessRevokedView })
  async remove(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('user_id') userId: number,
  ): Promise<MemberView | AccessRevokedView> {
    const member = await this.members.remove(caller, access, userId);
    return member === null
      ? { message: 'Access revoked', id: userId }
      : this.presenter.present(member);
  }
}
