import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import { Answers, AnswersList, PathIds } from '../../../platform/http/index.js';
import { mapPage, type Page } from '../../../platform/pages/index.js';
import { Requires } from '../../access/index.js';
import { DeliveryLogService } from '../delivery-log/delivery-log.service.js';
import { presentDelivery, presentDeliveryDetail } from '../delivery-log/delivery.presenter.js';
import { DeliveryDetailView, DeliveryView } from '../delivery-log/delivery.view.js';
import { ListSystemDeliveriesDto, toDeliveryFilters } from '../delivery-log/list-deliveries.dto.js';
import { SystemHooksService } from './system-hooks.service.js';

/** The delivery log of a system hook, an addition to GitLab's API. */
@Controller('hooks/:hook_id/deliveries')
@PathIds({ delivery_id: 'long' })
export class SystemDeliveriesController {
  constructor(
    private readonly hooks: SystemHooksService,
    private readonly log: DeliveryLogService,
  ) {}

  /** The deliveries to a system hook in the last thirty days, newest first. */
  @Get()
  @Requires('system-hook:administer')
  @AnswersList(DeliveryView)
  async list(
    @Param('hook_id') hookId: number,
    @Query() query: ListSystemDeliveriesDto,
  ): Promise<Page<DeliveryView>> {
    const hook = await this.hooks.read(hookId);
    return mapPage(await this.log.list(hook, toDeliveryFilters(query), query), presentDelivery);
  }

  /** A delivery to a system hook with its request and response. */
  @Get(':delivery_id')
  @Requires('system-hook:administer')
  @Answers(DeliveryDetailView)
  async read(
    @Param('hook_id') hookId: number,
    @Param('delivery_id') id: number,
  ): Promise<DeliveryDetailView> {
    const hook = await this.hooks.read(hookId);
    return presentDeliveryDetail(await this.log.read(hook, id));
  }

  /** Sends a delivery again, with the same `webhook-id`; a disabled hook is enabled. */
  @Post(':delivery_id/redeliver')
  @Requires('system-hook:administer')
  @Answers(DeliveryView)
  async redeliver(
    @Param('hook_id') hookId: number,
    @Param('delivery_id') id: number,
  ): Promise<DeliveryView> {
    const hook = await this.hooks.read(hookId);
    return presentDelivery(await this.log.redeliver(hook, id));
  }
}
