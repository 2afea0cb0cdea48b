import { Body, Controller, Param, Post } from '@nestjs/common';
import { Answers, MayAnswer } from '../../../platform/http/index.js';
import { Caller, InProject, type ProjectRef, Requires } from '../../access/index.js';
import { User } from '../../users/index.js';
import { presentDelivery } from '../delivery-log/delivery.presenter.js';
import { DeliveryView } from '../delivery-log/delivery.view.js';
import { HookTestsService } from './hook-tests.service.js';
import { TestHookDto } from './project-hook.dto.js';
import { ProjectHooksService } from './project-hooks.service.js';

/** Test deliveries to a project's hook, an addition to GitLab's API. */
@Controller('projects/:id/hooks/:hook_id/test')
export class HookTestsController {
  constructor(
    private readonly hooks: ProjectHooksService,
    private readonly tests: HookTestsService,
  ) {}

  /** Sends a hook the newest event of a kind in the project, whatever the hook subscribes to. */
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
