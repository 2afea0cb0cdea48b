import { Body, Delete, Get, Param, Post, Put } from '@nestjs/common';
import { V3Controller } from '../../../faces/index.js';
import { Answers, ContainsSecret } from '../../../platform/http/index.js';
import {
  Access,
  allows,
  Caller,
  InProject,
  MaybeCaller,
  type ProjectAccess,
  type ProjectRef,
  Requires,
} from '../../authorization/index.js';
import { Audits } from '../../audit/index.js';
import { User } from '../../users/index.js';
import { ProjectCreationService } from '../lifecycle/project-creation.service.js';
import { ProjectDeletionService } from '../lifecycle/deletion/project-deletion.service.js';
import { ProjectPresenter, ProjectView } from './project.view.js';
import {
  CreateProjectDto,
  CreateProjectForUserDto,
  toCreateProjectInput,
  toProjectChanges,
  UpdateProjectDto,
} from './project.dto.js';
import { ProjectsService } from '../projects.service.js';

@V3Controller('projects', 'Projects')
export class ProjectsController {
  constructor(
    private readonly projects: ProjectsService,
    private readonly creation: ProjectCreationService,
    private readonly deletion: ProjectDeletionService,
    private readonly presenter: ProjectPresenter,
  ) {}

  /** Creates a project with an empty repository; with `import_url` it is filled in the background. */
  @Post()
  @Requires('project:create')
  @Answers(ProjectView)
  async create(@Caller() caller: User, @Body() body: CreateProjectDto): Promise<ProjectView> {
    const project = await this.creation.create(caller, toCreateProjectInput(body));
    return this.presenter.present(project, { withRunnersToken: true });
  }

  /** Creates a project as another user, with that user's rights and quota. */
  @Post('user/:user_id')
  @Requires('project:create-for-user')
  @Answers(ProjectView)
  async createForUser(
    @Caller() caller: User,
    @Param('user_id') userId: number,
    @Body() body: CreateProjectForUserDto,
  ): Promise<ProjectView> {
    const project = await this.creation.createFor(caller, userId, toCreateProjectInput(body));
    return this.presenter.present(project, { withRunnersToken: true });
  }

  /** One project, by ID or by `NAMESPACE%2FPATH`. Public ones need no credential. */
  @Get(':id')
  @Requires('project:read')
  @ContainsSecret()
  @Answers(ProjectView)
  async read(
    @MaybeCaller() caller: User | null,
    @Access() access: ProjectAccess,
  ): Promise<ProjectView> {
    const options = { reader: caller, withPermissions: true };
    const project = await this.projects.read(access.project.id, options);
    const withRunnersToken = allows(access, 'runners-token:read');
    return this.presenter.present(project, { withRunnersToken });
  }

  /** Updates the given fields of a project. Only owners change its name and visibility. */
  @Put(':id')
  @Requires('project:edit')
  @Audits('project.renamed', 'project.visibility_changed')
  @Answers(ProjectView)
  async update(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Body() body: UpdateProjectDto,
  ): Promise<ProjectView> {
    const project = await this.projects.update(caller, access, toProjectChanges(body));
    return this.presenter.present(project, { withRunnersToken: true });
  }

  /** Archives a project: it accepts no pushes and is left out of lists. It may be archived already. */
  @Post(':id/archive')
  @Requires('project:archive')
  @Audits('project.archived')
  @Answers(ProjectView)
  archive(@Caller() caller: User, @InProject() project: ProjectRef): Promise<ProjectView> {
    return this.setArchived(caller, project, true);
  }

  /** Unarchives a project. It may be unarchived already. */
  @Post(':id/unarchive')
  @Requires('project:archive')
  @Audits('project.unarchived')
  @Answers(ProjectView)
  unarchive(@Caller() caller: User, @InProject() project: ProjectRef): Promise<ProjectView> {
    return this.setArchived(caller, project, false);
  }

  /** Deletes a project. It is hidden at once; its repository and rows are removed in the background. */
  @Delete(':id')
  @Requires('project:delete')
  @Audits('project.deleted')
  @Answers('boolean')
  async delete(@Caller() caller: User, @InProject() project: ProjectRef): Promise<true> {
    await this.deletion.delete(project, caller.id);
    return true;
  }

  private async setArchived(
    caller: User,
    project: ProjectRef,
    archived: boolean,
  ): Promise<ProjectView> {
    const changed = await this.projects.setArchived(caller, project, archived);
    return this.presenter.present(changed, { withRunnersToken: true });
  }
}
