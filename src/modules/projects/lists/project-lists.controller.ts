import { Controller, Get, Param, Query } from '@nestjs/common';
import { AnswersList, mapPage, Page } from '../../../platform/http/index.js';
import { Caller, MaybeCaller, Requires } from '../../access/index.js';
import { User } from '../../users/index.js';
import {
  ListProjectsDto,
  ListSimpleProjectsDto,
  SearchProjectsDto,
  toProjectFilters,
} from '../dto/list-projects.dto.js';
import type { ProjectWithRelations } from '../project-relations.js';
import { ProjectPresenter } from '../project.presenter.js';
import { ProjectView, SimpleProjectView } from '../project.view.js';
import { ProjectListsService } from './project-lists.service.js';

@Controller('projects')
export class ProjectListsController {
  constructor(
    private readonly lists: ProjectListsService,
    private readonly presenter: ProjectPresenter,
  ) {}

  /** The projects the caller is a member of: directly, by group or by share. */
  @Get()
  @Requires('project:list')
  @AnswersList(ProjectView, { or: SimpleProjectView })
  async ofMember(
    @Caller() caller: User,
    @Query() query: ListSimpleProjectsDto,
  ): Promise<Page<ProjectView | SimpleProjectView>> {
    const page = await this.lists.ofMember(caller, toProjectFilters(query), query);
    return this.fullOrSimple(page, query);
  }

  /** The projects the caller is a member of, and those shown by their visibility. */
  @Get('visible')
  @Requires('project:list')
  @AnswersList(ProjectView, { or: SimpleProjectView })
  async visible(
    @Caller() caller: User,
    @Query() query: ListSimpleProjectsDto,
  ): Promise<Page<ProjectView | SimpleProjectView>> {
    const page = await this.lists.visible(caller, toProjectFilters(query), query);
    return this.fullOrSimple(page, query);
  }

  /** The projects in the caller's namespace and in groups that the caller owns. */
  @Get('owned')
  @Requires('project:list')
  @AnswersList(ProjectView)
  async owned(@Caller() caller: User, @Query() query: ListProjectsDto): Promise<Page<ProjectView>> {
    return this.full(await this.lists.owned(caller, toProjectFilters(query), query));
  }

  /** The projects the caller has starred and can still see. */
  @Get('starred')
  @Requires('project:list')
  @AnswersList(ProjectView)
  async starred(
    @Caller() caller: User,
    @Query() query: ListProjectsDto,
  ): Promise<Page<ProjectView>> {
    return this.full(await this.lists.starred(caller, toProjectFilters(query), query));
  }

  /** All projects of the instance. */
  @Get('all')
  @Requires('project:list-all')
  @AnswersList(ProjectView)
  async all(@Caller() caller: User, @Query() query: ListProjectsDto): Promise<Page<ProjectView>> {
    return this.full(await this.lists.all(caller, toProjectFilters(query), query));
  }

  /** The projects whose name contains the text; without a credential public ones. */
  @Get('search/:query')
  @Requires('project:search')
  @AnswersList(ProjectView)
  async search(
    @MaybeCaller() caller: User | null,
    @Param('query') name: string,
    @Query() query: SearchProjectsDto,
  ): Promise<Page<ProjectView>> {
    const filters = { name, orderBy: query.order_by, sort: query.sort };
    return this.full(await this.lists.search(caller, filters, query));
  }

  private full(page: Page<ProjectWithRelations>): Page<ProjectView> {
    return mapPage(page, (parts) => this.presenter.present(parts));
  }

  private fullOrSimple(
    page: Page<ProjectWithRelations>,
    { simple = false }: ListSimpleProjectsDto,
  ): Page<ProjectView | SimpleProjectView> {
    return mapPage(page, (parts) =>
      simple ? this.presenter.simple(parts) : this.presenter.present(parts),
    );
  }
}
