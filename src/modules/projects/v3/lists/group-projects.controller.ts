import { Body, Get, Param, Post, Put, Query } from '@nestjs/common';
import { V3Controller } from '../../../../faces/index.js';
import { Urls } from '../../../../platform/config/index.js';
import { Answers, AnswersList } from '../../../../platform/http/index.js';
import { mapPage, Page } from '../../../../platform/pagination/index.js';
import { Caller, type GroupRef, InGroup, Requires } from '../../../authorization/index.js';
import { Audits } from '../../../audit/index.js';
import { GroupsService, type Namespace } from '../../../groups/index.js';
import { presentGroup, toGroupChanges, UpdateGroupDto } from '../../../groups/v3/index.js';
import { User } from '../../../users/index.js';
import { ProjectPresenter, ProjectView, SimpleProjectView } from '../project.view.js';
import { ListSimpleProjectsDto, toProjectFilters } from './list-projects.dto.js';
import { GroupDetailView } from './group-detail.view.js';
import { ProjectTransfersService } from '../../lifecycle/project-transfers.service.js';
import { GroupProjectsService } from '../../lists/group-projects.service.js';

/** The endpoints of groups whose responses embed projects. */
@V3Controller('groups/:id', 'GroupProjects')
export class GroupProjectsController {
  constructor(
    private readonly groups: GroupsService,
    private readonly projects: GroupProjectsService,
    private readonly transfers: ProjectTransfersService,
    private readonly presenter: ProjectPresenter,
    private readonly urls: Urls,
  ) {}

  /** One group, by ID or path, with the projects that the caller may see. */
  @Get()
  @Requires('group:read')
  @Answers(GroupDetailView)
  async read(@Caller() caller: User, @InGroup() group: GroupRef): Promise<GroupDetailView> {
    return this.present(caller, await this.groups.read(group));
  }

  /** Updates a group. With a new path the addresses of its projects change. */
  @Put()
  @Requires('group:edit')
  @Audits('group.renamed', 'group.visibility_changed')
  @Answers(GroupDetailView)
  async update(
    @Caller() caller: User,
    @InGroup() group: GroupRef,
    @Body() body: UpdateGroupDto,
  ): Promise<GroupDetailView> {
    return this.present(caller, await this.groups.update(caller, group, toGroupChanges(body)));
  }

  /** The group's projects and those shared with it that the caller may see. */
  @Get('projects')
  @Requires('group:read')
  @AnswersList(ProjectView, { or: SimpleProjectView })
  async list(
    @Caller() caller: User,
    @InGroup() group: GroupRef,
    @Query() query: ListSimpleProjectsDto,
  ): Promise<Page<ProjectView | SimpleProjectView>> {
    const page = await this.projects.list(caller, group, toProjectFilters(query), query);
    const { simple = false } = query;
    return mapPage(page, (project) =>
      simple ? this.presenter.simple(project) : this.presenter.present(project),
    );
  }

  /** Transfers a project, by ID or full path, into the group; for administrators. */
  @Post('projects/:project_id')
  @Requires('group:receive-project')
  @Audits('project.transferred', 'project.visibility_changed')
  @Answers(GroupDetailView)
  async receive(
    @Caller() caller: User,
    @InGroup() group: GroupRef,
    @Param('project_id') project: string,
  ): Promise<GroupDetailView> {
    await this.transfers.transferToGroup(caller, project, group);
    return this.present(caller, await this.groups.read(group));
  }

  private async present(caller: User, group: Namespace): Promise<GroupDetailView> {
    const { own, shared } = await this.projects.loadEmbedded(caller, group);
    return {
      ...presentGroup(group, this.urls),
      projects: own.map((project) => this.presenter.present(project)),
      shared_projects: shared.map((project) => this.presenter.present(project)),
    };
  }
}
