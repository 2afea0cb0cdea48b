import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { Answers, AnswersList, mapPage, Page, PageQuery } from '../../platform/http/index.js';
import {
  Access,
  allows,
  Caller,
  InProject,
  MaybeCaller,
  type ProjectAccess,
  type ProjectRef,
  Requires,
} from '../access/index.js';
import { User } from '../users/index.js';
import { CreateProjectDto, toCreateProjectInput } from './dto/create-project.dto.js';
import { ProjectPresenter } from './project.presenter.js';
import { ProjectView } from './project.view.js';
import { ProjectsService } from './projects.service.js';

@Controller('projects')
export class ProjectsController {
  constructor(
    private readonly projects: ProjectsService,
    private readonly presenter: ProjectPresenter,
  ) {}

  /** The projects the caller is a member of, newest first. */
  @Get()
  @Requires('project:list')
  @AnswersList(ProjectView)
  async list(@Caller() caller: User, @Query() query: PageQuery): Promise<Page<ProjectView>> {
    const page = await this.projects.list(caller, query);
    return mapPage(page, (parts) => this.presenter.present(parts));
  }

  /** Makes a project and its empty repository. */
  @Post()
  @Requires('project:create')
  @Answers(ProjectView)
  async create(@Caller() caller: User, @Body() body: CreateProjectDto): Promise<ProjectView> {
    const parts = await this.projects.create(caller, toCreateProjectInput(body));
    return this.presenter.present(parts, { withRunnersToken: true });
  }

  /** One project, by number or by `NAMESPACE%2FPATH`; public ones without a credential too. */
  @Get(':id')
  @Requires('project:read')
  @Answers(ProjectView)
  async read(
    @MaybeCaller() caller: User | null,
    @Access() access: ProjectAccess,
  ): Promise<ProjectView> {
    const parts = await this.projects.read(caller, access.project.id);
    const withRunnersToken = allows(access, 'runners-token:read');
    return this.presenter.present(parts, { withRunnersToken });
  }

  /** Removes a project with all that belongs to it; nobody sees it from this moment on. */
  @Delete(':id')
  @Requires('project:delete')
  @Answers('boolean')
  async delete(@InProject() project: ProjectRef): Promise<true> {
    await this.projects.delete(project);
    return true;
  }
}
