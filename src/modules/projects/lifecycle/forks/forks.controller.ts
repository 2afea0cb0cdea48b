import { Body, Controller, Delete, Param, Post } from '@nestjs/common';
import { Answers, MayAnswer } from '../../../../platform/http/index.js';
import { Caller, InProject, type ProjectRef, Requires } from '../../../access/index.js';
import { User } from '../../../users/index.js';
import { ProjectPresenter } from '../../presentation/project.presenter.js';
import { ProjectView } from '../../presentation/project.view.js';
import { ForkProjectDto } from './fork.dto.js';
import type { ForkLink } from './fork-link.entity.js';
import { ForkRelationView } from './fork.view.js';
import { ForksService } from './forks.service.js';

@Controller('projects')
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

  /** Makes an existing project a fork of another one. */
  @Post(':id/fork/:forked_from_id')
  @Requires('project:relate-fork')
  @Answers(ForkRelationView)
  @MayAnswer(409)
  async relate(
    @InProject() project: ProjectRef,
    @Param('forked_from_id') sourceId: number,
  ): Promise<ForkRelationView> {
    return presentLink(await this.forks.relate(project.id, sourceId));
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
    return presentLink(await this.forks.unrelate(project.id, caller));
  }
}

function presentLink(link: ForkLink): ForkRelationView {
  return {
    id: link.id,
    forked_to_project_id: link.forkedToProjectId,
    forked_from_project_id: link.forkedFromProjectId,
    created_at: link.createdAt,
    updated_at: link.updatedAt,
  };
}
