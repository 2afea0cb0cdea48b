import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import { Answers, AnswersList, mapPage, type Page, PathIds } from '../../../platform/http/index.js';
import { Requires } from '../../access/index.js';
import { SystemHooksService } from '../system-hooks/system-hooks.service.js';
import { presentDelivery, presentDeliveryDetail } from './delivery.presenter.js';
import { DeliveryDetailView, DeliveryView } from './delivery.view.js';
import { DeliveryLogService } from './delivery-log.service.js';
import { ListSystemDeliveriesDto, toDeliveryFilters } from './dto/list-deliveries.dto.js';

/** Addition to the specification: what became of the deliveries to a hook of the instance. */
@Controller('hooks/:hook_id/deliveries')
@PathIds({ delivery_id: 'long' })
export class SystemDeliveriesController {
  constructor(
    private readonly hooks: SystemHooksService,
    private readonly log: DeliveryLogService,
  ) {}

  /** The deliveries to a hook of the instance in the last thirty days, the newest first. */
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

  /** A delivery to a hook of the instance with what was sent and answered. */
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

  /** Sends a delivery once more, with the same `webhook-id`; a hook that was given up is tried again. */
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
