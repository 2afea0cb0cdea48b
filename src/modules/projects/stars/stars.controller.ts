import { Controller, Delete, Post } from '@nestjs/common';
import { Answers, MayAnswer } from '../../../platform/http/index.js';
import { Access, allows, Caller, type ProjectAccess, Requires } from '../../access/index.js';
import { User } from '../../users/index.js';
import { ProjectPresenter } from '../presentation/project.presenter.js';
import { ProjectView } from '../presentation/project.view.js';
import { ProjectsService } from '../projects.service.js';
import { StarsService } from './stars.service.js';

@Controller('projects/:id/star')
export class StarsController {
  constructor(
    private readonly stars: StarsService,
    private readonly projects: ProjectsService,
    private readonly presenter: ProjectPresenter,
  ) {}

  /** Stars a project. */
  @Post()
  @Requires('project:star')
  @Answers(ProjectView)
  @MayAnswer(304)
  async add(@Caller() caller: User, @Access() access: ProjectAccess): Promise<ProjectView> {
    await this.stars.add(access.project.id, caller.id);
    return this.present(caller, access);
  }

  /** Removes the caller's star. */
  @Delete()
  @Requires('project:star')
  @Answers(ProjectView)
  @MayAnswer(304)
  async remove(@Caller() caller: User, @Access() access: ProjectAccess): Promise<ProjectView> {
    await this.stars.remove(access.project.id, caller.id);
    return this.present(caller, access);
  }

  private async present(caller: User, access: ProjectAccess): Promise<ProjectView> {
    const project = await this.projects.read(access.project.id, { reader: caller });
    const withRunnersToken = allows(access, 'runners-token:read');
    return this.presenter.present(project, { withRunnersToken });
  }
}
