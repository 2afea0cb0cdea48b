import { Body, Delete, Param, Post } from '@nestjs/common';
import { V3Controller } from '../../../../faces/index.js';
import { Answers, MayAnswer, StringParam } from '../../../../platform/http/index.js';
import { Caller, InProject, type ProjectRef, Requires } from '../../../authorization/index.js';
import { User } from '../../../users/index.js';
import { ProjectPresenter, ProjectView } from '../project.view.js';
import { ForkRelationView, presentForkRelation } from './fork.view.js';
import { ForksService } from '../../lifecycle/forks/forks.service.js';

/** `POST /projects/fork/:id`. */
class ForkProjectDto {
  @StringParam({
    blank: 'absent',
    description: "ID, path or name of the target; the caller's own namespace when absent.",
  })
  namespace?: string;
}

@V3Controller('projects', 'Forks')
export class ForksController {
  constructor(
    private readonly forks: ForksService,
    private readonly presenter: ProjectPresenter,
  ) {}

  /** Forks a project. Branches and tags are copied in the background. */
  @Post('fork/:id')
  @Requires('project:fork')
  @Answers(ProjectView)
  @MayAnswer(409)
  async fork(
    @Caller() caller: User,
    @InProject() source: ProjectRef,
    @Body() body: ForkProjectDto,
  ): Promise<ProjectView> {
    const fork = await this.forks.fork(caller, source.id, body.namespace);
    return this.presenter.present(fork, { withRunnersToken: true });
  }

  /** Makes an existing project a fork of another one, given by ID or full path. */
  @Post(':id/fork/:forked_from_id')
  @Requires('project:relate-fork')
  @Answers(ForkRelationView)
  @MayAnswer(409)
  async relate(
    @InProject() project: ProjectRef,
    @Param('forked_from_id') source: string,
  ): Promise<ForkRelationView> {
    return presentForkRelation(await this.forks.relate(project.id, source));
  }

  /** Removes the relation of a fork to its source. */
  @Delete(':id/fork')
  @Requires('project:relate-fork')
  @Answers(ForkRelationView)
  @MayAnswer(304)
  async unrelate(
    @Caller() caller: User,
    @InProject() project: ProjectRef,
  ): Promise<ForkRelationView> {
    return presentForkRelation(await this.forks.unrelate(project.id, caller));
  }
}
