import { Body, Get, Param, Post, Put, Query } from '@nestjs/common';
import { V4Controller } from '../../../../faces/index.js';
import { Urls } from '../../../../platform/config/index.js';
import { Answers, AnswersList, BooleanParam } from '../../../../platform/http/index.js';
import { mapPage, Page, plainRequest } from '../../../../platform/pagination/index.js';
import {
  Caller,
  type GroupRef,
  InGroup,
  MaybeCaller,
  Requires,
} from '../../../authorization/index.js';
import { Audits } from '../../../audit/index.js';
import { GroupsService, type Namespace } from '../../../groups/index.js';
import { presentV4Group, toV4GroupChanges, V4UpdateGroupDto } from '../../../groups/v4/index.js';
import { User } from '../../../users/index.js';
import { GroupProjectsService } from '../../lists/group-projects.service.js';
import { ProjectTransfersService } from '../../lifecycle/project-transfers.service.js';
import { ProjectListsRepository } from '../../lists/project-lists.repository.js';
import { V4ProjectPresenter } from '../project.presenter.js';
import { V4ProjectView, V4SimpleProjectView } from '../project.view.js';
import { V4GroupDetailView } from './group-detail.view.js';
import {
  toV4ProjectFilters,
  toV4ProjectSelection,
  V4ListProjectsDto,
} from './list-projects.dto.js';

/** `GET /groups/:id`. */
class V4ReadGroupDto {
  @BooleanParam({ description: 'Whether the answer has the projects.', default: true })
  with_projects?: boolean;
}

/** `GET /groups/:id/projects`. */
class V4ListGroupProjectsDto extends V4ListProjectsDto {
  @BooleanParam({ description: 'Also projects that are shared with the group.', default: true })
  with_shared?: boolean;

  @BooleanParam({ description: 'Groups have no subgroups.', default: false })
  include_subgroups?: boolean;
}

/** The endpoints of groups whose answers have projects. */
@V4Controller('groups/:id', 'GroupProjects')
export class V4GroupProjectsController {
  constructor(
    private readonly groups: GroupsService,
    private readonly projects: GroupProjectsService,
    private readonly transfers: ProjectTransfersService,
    private readonly lists: ProjectListsRepository,
    private readonly presenter: V4ProjectPresenter,
    private readonly urls: Urls,
  ) {}

  /** One group, by ID or path, with the projects that the caller may see. */
  @Get()
  @Requires('group:browse')
  @Answers(V4GroupDetailView)
  async read(
    @MaybeCaller() caller: User | null,
    @InGroup() group: GroupRef,
    @Query() { with_projects: withProjects = true }: V4ReadGroupDto,
  ): Promise<V4GroupDetailView> {
    const found = await this.groups.read(group);
    return withProjects ? this.present(caller, found) : presentV4Group(found, this.urls);
  }

  /** Updates a group. With a new path the addresses of its projects change. */
  @Put()
  @Requires('group:edit')
  @Audits('group.renamed', 'group.visibility_changed')
  @Answers(V4GroupDetailView)
  async update(
    @Caller() caller: User,
    @InGroup() group: GroupRef,
    @Body() body: V4UpdateGroupDto,
  ): Promise<V4GroupDetailView> {
    return this.present(caller, await this.groups.update(caller, group, toV4GroupChanges(body)));
  }

  /** The group's projects and those shared with it that the caller may see. */
  @Get('projects')
  @Requires('group:browse')
  @AnswersList(V4ProjectView, { or: V4SimpleProjectView })
  async list(
    @MaybeCaller() caller: User | null,
    @InGroup() { id }: GroupRef,
    @Query() query: V4ListGroupProjectsDto,
  ): Promise<Page<V4ProjectView | V4SimpleProjectView>> {
    const { simple = false, with_shared: withShared = true } = query;
    const selection = { ...toV4ProjectSelection(query), ofGroup: { id, withShared } };
    const filters = toV4ProjectFilters(query);
    const page = await this.lists.listSelected(caller, selection, filters, plainRequest(query));
    return mapPage(page, (project) =>
      simple || caller === null
        ? this.presenter.simple(project)
        : this.presenter.present(project, caller),
    );
  }

  /** Transfers a project, by ID or full path, into the group; for administrators. */
  @Post('projects/:project_id')
  @Requires('group:receive-project')
  @Audits('project.transferred', 'project.visibility_changed')
  @Answers(V4GroupDetailView)
  async receive(
    @Caller() caller: User,
    @InGroup() group: GroupRef,
    @Param('project_id') project: string,
  ): Promise<V4GroupDetailView> {
    await this.transfers.transferToGroup(caller, project, group);
    return this.present(caller, await this.groups.read(group));
  }

  private async present(caller: User | null, group: Namespace): Promise<V4GroupDetailView> {
    const { own, shared } = await this.projects.loadEmbedded(caller, group);
    return {
      ...presentV4Group(group, this.urls),
      projects: own.map((project) => this.presenter.present(project, caller)),
      shared_projects: shared.map((project) => this.presenter.present(project, caller)),
    };
  }
}
