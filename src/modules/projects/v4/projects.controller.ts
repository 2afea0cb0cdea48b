import { Body, Delete, Get, Post, Put } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import { Answers, FixedStatus, MayAnswer, UnlessModified } from '../../../platform/http/index.js';
import {
  Access,
  Caller,
  InProject,
  MaybeCaller,
  type ProjectAccess,
  type ProjectRef,
  Requires,
} from '../../authorization/index.js';
import { Audits } from '../../audit/index.js';
import { User } from '../../users/index.js';
import { ProjectDeletionService } from '../lifecycle/deletion/project-deletion.service.js';
import { ProjectCreationService } from '../lifecycle/project-creation.service.js';
import { ProjectsService } from '../projects.service.js';
import {
  toV4CreateProjectInput,
  toV4ProjectChanges,
  V4CreateProjectDto,
  V4UpdateProjectDto,
} from './project.dto.js';
import { V4ProjectPresenter } from './project.presenter.js';
import { V4AcceptedView, V4ProjectView } from './project.view.js';

@V4Controller('projects', 'Projects')
export class V4ProjectsController {
  constructor(
    private readonly projects: ProjectsService,
    private readonly creation: ProjectCreationService,
    private readonly deletion: ProjectDeletionService,
    private readonly presenter: V4ProjectPresenter,
  ) {}

  /**
   * Creates a project with an empty repository, or with one that begins with a README; with `import_url` it is filled in the
   * background.
   */
  @Post()
  @Requires('project:create')
  @Answers(V4ProjectView)
  async create(@Caller() caller: User, @Body() body: V4CreateProjectDto): Promise<V4ProjectView> {
    const project = await this.creation.create(caller, toV4CreateProjectInput(body));
    return this.presenter.present(project, caller);
  }

  /** One project, by ID or by `NAMESPACE%2FPATH`. Public ones need no credential. */
  @Get(':id')
  @Requires('project:read')
  @Answers(V4ProjectView)
  async read(
    @MaybeCaller() caller: User | null,
    @InProject() { id }: ProjectRef,
  ): Promise<V4ProjectView> {
    const options = { reader: caller, withPermissions: caller !== null };
    return this.presenter.present(await this.projects.read(id, options), caller);
  }

  /** Updates the given fields of a project. Only owners change its name and visibility. */
  @Put(':id')
  @Requires('project:edit')
  @Audits('project.renamed', 'project.visibility_changed')
  @Answers(V4ProjectView)
  async update(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Body() body: V4UpdateProjectDto,
  ): Promise<V4ProjectView> {
    const project = await this.projects.update(caller, access, toV4ProjectChanges(body));
    return this.presenter.present(project, caller);
  }

  /** Archives a project: it accepts no pushes. It may be archived already. */
  @Post(':id/archive')
  @Requires('project:archive')
  @Audits('project.archived')
  @Answers(V4ProjectView)
  async archive(@Caller() caller: User, @InProject() project: ProjectRef): Promise<V4ProjectView> {
    return this.presenter.present(await this.projects.setArchived(caller, project, true), caller);
  }

  /** Unarchives a project. It may be unarchived already. */
  @Post(':id/unarchive')
  @Requires('project:archive')
  @Audits('project.unarchived')
  @Answers(V4ProjectView)
  async unarchive(
    @Caller() caller: User,
    @InProject() project: ProjectRef,
  ): Promise<V4ProjectView> {
    return this.presenter.present(await this.projects.setArchived(caller, project, false), caller);
  }

  /** Stars a project. */
  @Post(':id/star')
  @Requires('project:star')
  @Answers(V4ProjectView)
  @MayAnswer(304)
  async star(@Caller() caller: User, @InProject() { id }: ProjectRef): Promise<V4ProjectView> {
    return this.presenter.present(await this.projects.star(caller, id), caller);
  }

  /** Removes the caller's star. */
  @Post(':id/unstar')
  @Requires('project:star')
  @Answers(V4ProjectView)
  @MayAnswer(304)
  async unstar(@Caller() caller: User, @InProject() { id }: ProjectRef): Promise<V4ProjectView> {
    return this.presenter.present(await this.projects.unstar(caller, id), caller);
  }

  /** Deletes a project. It is hidden at once; its repository and rows are removed in the background. */
  @Delete(':id')
  @UnlessModified()
  @Requires('project:delete')
  @Audits('project.deleted')
  @FixedStatus(202)
  @Answers(V4AcceptedView)
  async delete(@Caller() caller: User, @InProject() project: ProjectRef): Promise<V4AcceptedView> {
    await this.deletion.delete(project, caller.id);
    return { message: '202 Accepted' };
  }
}
