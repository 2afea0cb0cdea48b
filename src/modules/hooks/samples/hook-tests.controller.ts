import { Body, Controller, Param, Post } from '@nestjs/common';
import { Answers, MayAnswer } from '../../../platform/http/index.js';
import { Caller, InProject, type ProjectRef, Requires } from '../../access/index.js';
import { User } from '../../users/index.js';
import { presentDelivery } from '../log/delivery.presenter.js';
import { DeliveryView } from '../log/delivery.view.js';
import { ProjectHooksService } from '../project-hooks/project-hooks.service.js';
import { TestHookDto } from './dto/test-hook.dto.js';
import { HookTestsService } from './hook-tests.service.js';

/** Addition to the specification: trying a project's hook. */
@Controller('projects/:id/hooks/:hook_id/test')
export class HookTestsController {
  constructor(
    private readonly hooks: ProjectHooksService,
    private readonly tests: HookTestsService,
  ) {}

  /** Sends a hook a sample, made of what the project has, whatever events the hook wants. */
  @Post()
  @Requires('project-hook:administer')
  @Answers(DeliveryView)
  @MayAnswer(422)
  async test(
    @Caller() caller: User,
    @InProject() project: ProjectRef,
    @Param('hook_id') hookId: number,
    @Body() { event = 'push' }: TestHookDto,
  ): Promise<DeliveryView> {
    const hook = await this.hooks.read(project.id, hookId);
    return presentDelivery(await this.tests.test(project, hook, event, caller.id));
  }
}
