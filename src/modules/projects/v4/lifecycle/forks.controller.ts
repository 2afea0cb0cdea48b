import { Body, Delete, Param, Post } from '@nestjs/common';
import { V4Controller } from '../../../../faces/index.js';
import {
  Answers,
  AnswersNothing,
  IdParam,
  MayAnswer,
  StringParam,
  UnlessModified,
} from '../../../../platform/http/index.js';
import { Caller, InProject, type ProjectRef, Requires } from '../../../authorization/index.js';
import { User } from '../../../users/index.js';
import { ForksService } from '../../lifecycle/forks/forks.service.js';
import { ProjectsService } from '../../projects.service.js';
import { V4ProjectPresenter } from '../project.presenter.js';
import { V4ProjectView } from '../project.view.js';

/** `POST /projects/:id/fork`. */
class V4ForkProjectDto {
  @IdParam({ description: "The target; the caller's own namespace when absent." })
  namespace_id?: number;

  @StringParam({ blank: 'absent', description: 'Path of the target; `namespace_id` wins.' })
  namespace_path?: string;

  @StringParam({
    blank: 'absent',
    description: 'ID, path or name of the target; the others win.',
  })
  namespace?: string;

  @StringParam({ blank: 'absent', description: "The source's when absent." })
  name?: string;

  @StringParam({ blank: 'absent', description: "The source's when absent." })
  path?: string;

  @StringParam({ blank: 'absent', description: "The source's when absent." })
  description?: string;
}

@V4Controller('projects/:id/fork', 'Forks')
export class V4ForksController {
  constructor(
    private readonly forks: ForksService,
    private readonly projects: ProjectsService,
    private readonly presenter: V4ProjectPresenter,
  ) {}

  /** Forks a project. Branches and tags are copied in the background. */
  @Post()
  @Requires('project:fork')
  @Answers(V4ProjectView)
  @MayAnswer(409)
  async fork(
    @Caller() caller: User,
    @InProject() { id }: ProjectRef,
    @Body() body: V4ForkProjectDto,
  ): Promise<V4ProjectView> {
    const { namespace_id: namespaceId, namespace_path: namespacePath, namespace } = body;
    const target = namespaceId === undefined ? (namespacePath ?? namespace) : String(namespaceId);
    const { name, path, description } = body;
    const fork = await this.forks.fork(caller, id, target, { name, path, description });
    return this.presenter.present(fork, caller);
  }

  /** Makes an existing project a fork of another one, given by ID or full path. */
  @Post(':forked_from_id')
  @Requires('project:relate-fork')
  @Answers(V4ProjectView)
  @MayAnswer(409)
  async relate(
    @Caller() caller: User,
    @InProject() { id }: ProjectRef,
    @Param('forked_from_id') source: string,
  ): Promise<V4ProjectView> {
    await this.forks.relate(id, source);
    return this.presenter.present(await this.projects.read(id, { reader: caller }), caller);
  }

  /** Removes the relation of a fork to its source. */
  @Delete()
  @UnlessModified(304)
  @Requires('project:relate-fork')
  @AnswersNothing()
  async unrelate(@Caller() caller: User, @InProject() project: ProjectRef): Promise<void> {
    await this.forks.unrelate(project.id, caller);
  }
}
