import { Delete, Post } from '@nestjs/common';
import { V3Controller } from '../../../faces/index.js';
import { Answers, MayAnswer } from '../../../platform/http/index.js';
import { Access, allows, Caller, type ProjectAccess, Requires } from '../../authorization/index.js';
import { User } from '../../users/index.js';
import type { ProjectWithRelations } from '../model/project-relations.js';
import { ProjectPresenter, ProjectView } from './project.view.js';
import { ProjectsService } from '../projects.service.js';

@V3Controller('projects/:id/star', 'Stars')
export class StarsController {
  constructor(
    private readonly projects: ProjectsService,
    private readonly presenter: ProjectPresenter,
  ) {}

  /** Stars a project. */
  @Post()
  @Requires('project:star')
  @Answers(ProjectView)
  @MayAnswer(304)
  async add(@Caller() caller: User, @Access() access: ProjectAccess): Promise<ProjectView> {
    return this.present(await this.projects.star(caller, access.project.id), access);
  }

  /** Removes the caller's star. */
  @Delete()
  @Requires('project:star')
  @Answers(ProjectView)
  @MayAnswer(304)
  async remove(@Caller() caller: User, @Access() access: ProjectAccess): Promise<ProjectView> {
    return this.present(await this.projects.unstar(caller, access.project.id), access);
  }

  private present(project: ProjectWithRelations, access: ProjectAccess): ProjectView {
    const withRunnersToken = allows(access, 'runners-token:read');
    return this.presenter.present(project, { withRunnersToken });
  }
}
