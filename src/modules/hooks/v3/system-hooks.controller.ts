import { Body, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { V3Controller } from '../../../faces/index.js';
import {
  Answers,
  AnswersList,
  BooleanParam,
  PageQuery,
  PathIds,
  StringParam,
} from '../../../platform/http/index.js';
import { mapPage, type Page } from '../../../platform/pagination/index.js';
import { Requires } from '../../authorization/index.js';
import { Audits } from '../../audit/index.js';
import { DeliveryLogService } from '../delivery-log/delivery-log.service.js';
import {
  DeliveryDetailView,
  DeliveryView,
  presentDelivery,
  presentDeliveryDetail,
} from './delivery.view.js';
import { ListSystemDeliveriesDto, toDeliveryFilters } from './list-deliveries.dto.js';
import {
  presentSystemHook,
  SAMPLE_EVENT,
  SampleEventView,
  SystemHookView,
} from './system-hook.view.js';
import { SystemHooksService } from '../system-hooks/system-hooks.service.js';

/** `POST /hooks` */
class CreateSystemHookDto {
  @StringParam({
    required: true,
    description: 'The http or https address that deliveries are sent to.',
  })
  url!: string;

  @StringParam({
    nullable: true,
    emptyClears: true,
    maxLength: 1_024,
    description: 'Sent with deliveries and used to sign them; never returned.',
  })
  token?: string | null;

  @BooleanParam({ default: true })
  push_events?: boolean;

  @BooleanParam({ default: false })
  tag_push_events?: boolean;

  @BooleanParam({ default: true })
  enable_ssl_verification?: boolean;
}

@V3Controller('hooks', 'SystemHooks')
export class SystemHooksController {
  constructor(private readonly hooks: SystemHooksService) {}

  /** The hooks of the instance, newest first. */
  @Get()
  @Requires('system-hook:administer')
  @AnswersList(SystemHookView)
  async list(@Query() query: PageQuery): Promise<Page<SystemHookView>> {
    return mapPage(await this.hooks.list(query), presentSystemHook);
  }

  /** Adds a hook to the instance. */
  @Post()
  @Requires('system-hook:administer')
  @Audits('hook.added')
  @Answers(SystemHookView)
  async create(@Body() body: CreateSystemHookDto): Promise<SystemHookView> {
    const { url, token, ...flags } = body;
    const input = {
      url,
      token,
      pushEvents: flags.push_events,
      tagPushEvents: flags.tag_push_events,
      enableSslVerification: flags.enable_ssl_verification,
    };
    const hook = await this.hooks.create(input, 3);
    return presentSystemHook(hook);
  }

  /** Sends a hook of the instance a sample event, and returns that event. */
  @Get(':hook_id')
  @Requires('system-hook:administer')
  @Audits('hook.enabled')
  @Answers(SampleEventView)
  async test(@Param('hook_id') id: number): Promise<SampleEventView> {
    await this.hooks.test(id, SAMPLE_EVENT);
    return SAMPLE_EVENT;
  }

  /** Removes a hook of the instance. */
  @Delete(':hook_id')
  @Requires('system-hook:administer')
  @Audits('hook.removed')
  @Answers(SystemHookView)
  async remove(@Param('hook_id') id: number): Promise<SystemHookView> {
    return presentSystemHook(await this.hooks.remove(id));
  }
}

/** The delivery log of a system hook, an addition to GitLab's API. */
@V3Controller('hooks/:hook_id/deliveries', 'SystemDeliveries')
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
  @Audits('hook.enabled')
  @Answers(DeliveryView)
  async redeliver(
    @Param('hook_id') hookId: number,
    @Param('delivery_id') id: number,
  ): Promise<DeliveryView> {
    const hook = await this.hooks.read(hookId);
    return presentDelivery(await this.log.redeliver(hook, id));
  }
}
