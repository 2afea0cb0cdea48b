import { Get, Param, Query } from '@nestjs/common';
import { V3Controller } from '../../../../faces/index.js';
import { AnswersList } from '../../../../platform/http/index.js';
import { mapPage, Page } from '../../../../platform/pagination/index.js';
import { Caller, MaybeCaller, Requires } from '../../../authorization/index.js';
import { User } from '../../../users/index.js';
import {
  ListProjectsDto,
  ListSimpleProjectsDto,
  SearchProjectsDto,
  toProjectFilters,
} from './list-projects.dto.js';
import type { ProjectWithRelations } from '../../model/project-relations.js';
import { ProjectPresenter, ProjectView, SimpleProjectView } from '../project.view.js';
import { ProjectListsRepository } from '../../lists/project-lists.repository.js';

@V3Controller('projects', 'ProjectLists')
export class ProjectListsController {
  constructor(
    private readonly lists: ProjectListsRepository,
    private readonly presenter: ProjectPresenter,
  ) {}

  /** The projects that the caller is a member of: directly, by group or by share. */
  @Get()
  @Requires('project:list')
  @AnswersList(ProjectView, { or: SimpleProjectView })
  async ofMember(
    @Caller() caller: User,
    @Query() query: ListSimpleProjectsDto,
  ): Promise<Page<ProjectView | SimpleProjectView>> {
    const page = await this.lists.listOfMember(caller, toProjectFilters(query), query);
    return this.fullOrSimple(page, query);
  }

  /** The projects that the caller is a member of or sees by their visibility. */
  @Get('visible')
  @Requires('project:list')
  @AnswersList(ProjectView, { or: SimpleProjectView })
  async visible(
    @Caller() caller: User,
    @Query() query: ListSimpleProjectsDto,
  ): Promise<Page<ProjectView | SimpleProjectView>> {
    const page = await this.lists.listVisible(caller, toProjectFilters(query), query);
    return this.fullOrSimple(page, query);
  }

  /** The projects in the caller's namespace and in groups that the caller owns. */
  @Get('owned')
  @Requires('project:list')
  @AnswersList(ProjectView)
  async owned(@Caller() caller: User, @Query() query: ListProjectsDto): Promise<Page<ProjectView>> {
    return this.full(await this.lists.listOwned(caller, toProjectFilters(query), query));
  }

  /** The projects that the caller has starred and can still see. */
  @Get('starred')
  @Requires('project:list')
  @AnswersList(ProjectView)
  async starred(
    @Caller() caller: User,
    @Query() query: ListProjectsDto,
  ): Promise<Page<ProjectView>> {
    return this.full(await this.lists.listStarred(caller, toProjectFilters(query), query));
  }

  /** All projects of the instance. */
  @Get('all')
  @Requires('project:list-all')
  @AnswersList(ProjectView)
  async all(@Caller() caller: User, @Query() query: ListProjectsDto): Promise<Page<ProjectView>> {
    return this.full(await this.lists.listAll(caller, toProjectFilters(query), query));
  }

  /** The projects whose name contains the text; without a credential only public ones. */
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
    return mapPage(page, (project) => this.presenter.present(project));
  }

  private fullOrSimple(
    page: Page<ProjectWithRelations>,
    { simple = false }: ListSimpleProjectsDto,
  ): Page<ProjectView | SimpleProjectView> {
    return mapPage(page, (project) =>
      simple ? this.presenter.simple(project) : this.presenter.present(project),
    );
  }
}
