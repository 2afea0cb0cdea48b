import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import { Answers, AnswersList, PathIds } from '../../../platform/http/index.js';
import { mapPage, type Page } from '../../../platform/pages/index.js';
import { InProject, type ProjectRef, Requires } from '../../access/index.js';
import { DeliveryLogService } from '../delivery-log/delivery-log.service.js';
import { presentDelivery, presentDeliveryDetail } from '../delivery-log/delivery.presenter.js';
import { DeliveryDetailView, DeliveryView } from '../delivery-log/delivery.view.js';
import {
  ListProjectDeliveriesDto,
  toDeliveryFilters,
} from '../delivery-log/list-deliveries.dto.js';
import { ProjectHooksService } from './project-hooks.service.js';

/** The delivery log of a project's hook, an addition to GitLab's API. */
@Controller('projects/:id/hooks/:hook_id/deliveries')
@PathIds({ delivery_id: 'long' })
export class ProjectDeliveriesController {
  constructor(
    private readonly hooks: ProjectHooksService,
    private readonly log: DeliveryLogService,
  ) {}

  /** The deliveries to a hook in the last thirty days, newest first. */
  @Get()
  @Requires('project-hook:administer')
  @AnswersList(DeliveryView)
  async list(
    @InProject() { id: projectId }: ProjectRef,
    @Param('hook_id') hookId: number,
    @Query() query: ListProjectDeliveriesDto,
  ): Promise<Page<DeliveryView>> {
    const hook = await this.hooks.read(projectId, hookId);
    return mapPage(await this.log.list(hook, toDeliveryFilters(query), query), presentDelivery);
  }

  /** A delivery with its request and response. */
  @Get(':delivery_id')
  @Requires('project-hook:administer')
  @Answers(DeliveryDetailView)
  async read(
    @InProject() { id: projectId }: ProjectRef,
    @Param('hook_id') hookId: number,
    @Param('delivery_id') id: number,
  ): Promise<DeliveryDetailView> {
    const hook = await this.hooks.read(projectId, hookId);
    return presentDeliveryDetail(await this.log.read(hook, id));
  }

  /** Sends a delivery again, with the same `webhook-id`; a disabled hook is enabled. */
  @Post(':delivery_id/redeliver')
  @Requires('project-hook:administer')
  @Answers(DeliveryView)
  async redeliver(
    @InProject() { id: projectId }: ProjectRef,
    @Param('hook_id') hookId: number,
    @Param('delivery_id') id: number,
  ): Promise<DeliveryView> {
    const hook = await this.hooks.read(projectId, hookId);
    return presentDelivery(await this.log.redeliver(hook, id));
  }
}
