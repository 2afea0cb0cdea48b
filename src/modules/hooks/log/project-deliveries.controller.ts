import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import { Answers, AnswersList, mapPage, type Page, PathIds } from '../../../platform/http/index.js';
import { InProject, type ProjectRef, Requires } from '../../access/index.js';
import { ProjectHooksService } from '../project-hooks/project-hooks.service.js';
import { presentDelivery, presentDeliveryDetail } from './delivery.presenter.js';
import { DeliveryDetailView, DeliveryView } from './delivery.view.js';
import { DeliveryLogService } from './delivery-log.service.js';
import { ListProjectDeliveriesDto, toDeliveryFilters } from './dto/list-deliveries.dto.js';

/** Addition to the specification: what became of the deliveries to a project's hook. */
@Controller('projects/:id/hooks/:hook_id/deliveries')
@PathIds({ delivery_id: 'long' })
export class ProjectDeliveriesController {
  constructor(
    private readonly hooks: ProjectHooksService,
    private readonly log: DeliveryLogService,
  ) {}

  /** The deliveries to a hook in the last thirty days, the newest first. */
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

  /** A delivery with what was sent and answered. */
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

  /** Sends a delivery once more, with the same `webhook-id`; a hook that was given up is tried again. */
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
