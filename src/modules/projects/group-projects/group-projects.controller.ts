import { Body, Controller, Get, Param, Post, Put, Query } from '@nestjs/common';
import { Answers, AnswersList, mapPage, Page, PathIds } from '../../../platform/http/index.js';
import { Caller, type GroupRef, InGroup, Requires } from '../../access/index.js';
import { GroupsService, type Namespace, toGroupChanges } from '../../groups/index.js';
import { User } from '../../users/index.js';
import { ListSimpleProjectsDto, toProjectFilters } from '../dto/list-projects.dto.js';
import { ProjectPresenter } from '../project.presenter.js';
import { ProjectView, SimpleProjectView } from '../project.view.js';
import { UpdateGroupDto } from './dto/update-group.dto.js';
import { GroupDetailPresenter } from './group-detail.presenter.js';
import { GroupDetailView } from './group-detail.view.js';
import { GroupProjectsService } from './group-projects.service.js';
import { TransferProject } from './transfer-project.js';

/** What is answered of groups together with their projects. */
@Controller('groups/:id')
export class GroupProjectsController {
  constructor(
    private readonly groups: GroupsService,
    private readonly projects: GroupProjectsService,
    private readonly transfer: TransferProject,
    private readonly groupPresenter: GroupDetailPresenter,
    private readonly projectPresenter: ProjectPresenter,
  ) {}

  /** One group, by number or path, with its projects as far as the caller can see them. */
  @Get()
  @Requires('group:read')
  @Answers(GroupDetailView)
  async read(@Caller() caller: User, @InGroup() group: GroupRef): Promise<GroupDetailView> {
    return this.detail(caller, await this.groups.read(group));
  }

  /** Changes a group; with a new path the addresses of its projects move. */
  @Put()
  @Requires('group:edit')
  @Answers(GroupDetailView)
  async update(
    @Caller() caller: User,
    @InGroup() group: GroupRef,
    @Body() body: UpdateGroupDto,
  ): Promise<GroupDetailView> {
    return this.detail(caller, await this.groups.update(caller, group, toGroupChanges(body)));
  }

  /** The group's projects and those shared with it, as far as the caller can see them. */
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
    return mapPage(page, (parts) =>
      simple ? this.projectPresenter.simple(parts) : this.projectPresenter.present(parts),
    );
  }

  /** Moves a project, by number or full path, into the group; for administrators. */
  @Post('projects/:project_id')
  @PathIds({ project_id: 'text' })
  @Requires('group:receive-project')
  @Answers(GroupDetailView)
  async receive(
    @Caller() caller: User,
    @InGroup() group: GroupRef,
    @Param('project_id') project: string,
  ): Promise<GroupDetailView> {
    await this.transfer.run(caller, project, group);
    return this.detail(caller, await this.groups.read(group));
  }

  private async detail(caller: User, group: Namespace): Promise<GroupDetailView> {
    return this.groupPresenter.present(group, await this.projects.embedded(caller, group));
  }
}
