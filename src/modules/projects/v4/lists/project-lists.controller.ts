import { Get, Param, Query } from '@nestjs/common';
import { V4Controller } from '../../../../faces/index.js';
import { AnswersList, MayAnswer } from '../../../../platform/http/index.js';
import { mapPage, Page, plainRequest } from '../../../../platform/pagination/index.js';
import { InProject, MaybeCaller, type ProjectRef, Requires } from '../../../authorization/index.js';
import { User, UsersService } from '../../../users/index.js';
import { ProjectListsRepository } from '../../lists/project-lists.repository.js';
import type { ProjectWithRelations } from '../../model/project-relations.js';
import { V4ProjectPresenter } from '../project.presenter.js';
import { V4ProjectView, V4SimpleProjectView } from '../project.view.js';
import {
  followedByIds,
  toV4ProjectFilters,
  toV4ProjectSelection,
  V4ListAllProjectsDto,
  V4ListProjectsDto,
} from './list-projects.dto.js';

@V4Controller('', 'ProjectLists')
export class V4ProjectListsController {
  constructor(
    private readonly lists: ProjectListsRepository,
    private readonly users: UsersService,
    private readonly presenter: V4ProjectPresenter,
  ) {}

  /** The projects that the caller may see; without a credential public ones. */
  @Get('projects')
  @Requires('project:search')
  @AnswersList(V4ProjectView, { or: V4SimpleProjectView })
  @MayAnswer(405)
  async list(
    @MaybeCaller() caller: User | null,
    @Query() query: V4ListAllProjectsDto,
  ): Promise<Page<V4ProjectView | V4SimpleProjectView>> {
    const selection = toV4ProjectSelection(query);
    const filters = toV4ProjectFilters(query);
    const page = await this.lists.listSelected(caller, selection, filters, plainRequest(query));
    return this.present(followedByIds(page, query), query, caller);
  }

  /** The projects in the personal namespace of a user that the caller may see. */
  @Get('users/:id/projects')
  @Requires('user:search')
  @AnswersList(V4ProjectView, { or: V4SimpleProjectView })
  async listPersonal(
    @MaybeCaller() caller: User | null,
    @Param('id') id: string,
    @Query() query: V4ListProjectsDto,
  ): Promise<Page<V4ProjectView | V4SimpleProjectView>> {
    const { id: personalOf } = await this.users.readByReference(id);
    const selection = { ...toV4ProjectSelection(query), personalOf };
    const filters = toV4ProjectFilters(query);
    const page = await this.lists.listSelected(caller, selection, filters, plainRequest(query));
    return this.present(page, query, caller);
  }

  /** The forks of a project that the caller may see. */
  @Get('projects/:id/forks')
  @Requires('project:read')
  @AnswersList(V4ProjectView, { or: V4SimpleProjectView })
  async listForks(
    @MaybeCaller() caller: User | null,
    @InProject() { id: forkedFrom }: ProjectRef,
    @Query() query: V4ListProjectsDto,
  ): Promise<Page<V4ProjectView | V4SimpleProjectView>> {
    const selection = { ...toV4ProjectSelection(query), forkedFrom };
    const filters = toV4ProjectFilters(query);
    const page = await this.lists.listSelected(caller, selection, filters, plainRequest(query));
    return this.present(page, query, caller);
  }

  private present(
    page: Page<ProjectWithRelations>,
    { simple = false }: V4ListProjectsDto,
    caller: User | null,
  ): Page<V4ProjectView | V4SimpleProjectView> {
    // Strangers get the short form, as everywhere that GitLab lists projects.
    return mapPage(page, (project) =>
      simple || caller === null
        ? this.presenter.simple(project)
        : this.presenter.present(project, caller),
    );
  }
}
