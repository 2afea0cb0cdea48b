import { Body, Controller, Delete, Get, Param, Post, Put } from '@nestjs/common';
import { Answers } from '../../platform/http/index.js';
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
import {
  CreateProjectDto,
  CreateProjectForUserDto,
  toCreateProjectInput,
} from './dto/create-project.dto.js';
import { toProjectChanges, UpdateProjectDto } from './dto/update-project.dto.js';
import { ProjectRemoval } from './project-removal.js';
import { ProjectPresenter } from './project.presenter.js';
import { ProjectView } from './project.view.js';
import { ProjectsService } from './projects.service.js';

@Controller('projects')
export class ProjectsController {
  constructor(
    private readonly projects: ProjectsService,
    private readonly removal: ProjectRemoval,
    private readonly presenter: ProjectPresenter,
  ) {}

  /** Makes a project and its empty repository, which `import_url` lets be filled in the background. */
  @Post()
  @Requires('project:create')
  @Answers(ProjectView)
  async create(@Caller() caller: User, @Body() body: CreateProjectDto): Promise<ProjectView> {
    const parts = await this.projects.create(caller, toCreateProjectInput(body));
    return this.presenter.present(parts, { withRunnersToken: true });
  }

  /** Makes a project in the name of another user, by whose rights and quota it goes. */
  @Post('user/:user_id')
  @Requires('project:create-for-user')
  @Answers(ProjectView)
  async createForUser(
    @Caller() caller: User,
    @Param('user_id') userId: number,
    @Body() body: CreateProjectForUserDto,
  ): Promise<ProjectView> {
    const parts = await this.projects.createFor(caller, userId, toCreateProjectInput(body));
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
    const parts = await this.projects.read(access.project.id, {
      reader: caller,
      withPermissions: true,
    });
    const withRunnersToken = allows(access, 'runners-token:read');
    return this.presenter.present(parts, { withRunnersToken });
  }

  /** Changes what is given; name and visibility are for owners. */
  @Put(':id')
  @Requires('project:edit')
  @Answers(ProjectView)
  async update(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Body() body: UpdateProjectDto,
  ): Promise<ProjectView> {
    const parts = await this.projects.update(caller, access, toProjectChanges(body));
    return this.presenter.present(parts, { withRunnersToken: true });
  }

  /** Closes a project to pushes and leaves it out of lists; it may be archived already. */
  @Post(':id/archive')
  @Requires('project:archive')
  @Answers(ProjectView)
  archive(@Caller() caller: User, @InProject() project: ProjectRef): Promise<ProjectView> {
    return this.setArchived(caller, project, true);
  }

  /** Opens an archived project again; it may be open already. */
  @Post(':id/unarchive')
  @Requires('project:archive')
  @Answers(ProjectView)
  unarchive(@Caller() caller: User, @InProject() project: ProjectRef): Promise<ProjectView> {
    return this.setArchived(caller, project, false);
  }

  /** Removes a project with all that belongs to it; nobody sees it from this moment on. */
  @Delete(':id')
  @Requires('project:delete')
  @Answers('boolean')
  async delete(@Caller() caller: User, @InProject() project: ProjectRef): Promise<true> {
    await this.removal.remove(project.id, caller.id);
    return true;
  }

  private async setArchived(
    caller: User,
    { id }: ProjectRef,
    archived: boolean,
  ): Promise<ProjectView> {
    const parts = await this.projects.setArchived(caller, id, archived);
    return this.presenter.present(parts, { withRunnersToken: true });
  }
}
