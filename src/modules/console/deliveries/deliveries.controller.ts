import { Body, Get, Param, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { UNKNOWN_ID } from '../../../platform/database/index.js';
import { IntegerParam, PathIds, StringParam, TakesBody } from '../../../platform/http/index.js';
import { ANONYMOUS_BODY } from '../../../platform/limits/index.js';
import { Requires } from '../../authorization/index.js';
import { Audits } from '../../audit/index.js';
import { DeliveryLogService, type InstanceDeliveryFilters } from '../../hooks/index.js';
import { ProjectsRepository } from '../../projects/index.js';
import type { User } from '../../users/index.js';
import { OnlyAdministrators, PageController, PageSender, SignedIn } from '../../web/index.js';
import type { Notice } from '../html/notices.js';
import { deliveriesPage, deliveryPage } from './deliveries-pages.js';
import { DeliveryFiltersDto, parsePosition } from './delivery-filters.dto.js';

class ShowDeliveryDto {
  @StringParam()
  notice?: string;
}

/** A form about a delivery as its page shows it. */
class TurnDto {
  @IntegerParam({ required: true, min: 0 })
  turn!: number;
}

/** `/admin/deliveries` */
@PageController('admin/deliveries')
@OnlyAdministrators()
@PathIds({ id: 'long' })
export class ConsoleDeliveriesController {
  constructor(
    private readonly log: DeliveryLogService,
    private readonly projects: ProjectsRepository,
    private readonly pages: PageSender,
  ) {}

  @Get()
  @Requires('page:open')
  async list(@Query() query: DeliveryFiltersDto, @Res() response: Response): Promise<void> {
    const filters = await this.filtersOf(query);
    const page = await this.log.listAll(filters, parsePosition(query.after));
    this.pages.send(response, deliveriesPage(query, page));
  }

  @Get(':id')
  @Requires('page:open')
  async show(
    @Param('id') id: number,
    @Query() { notice }: ShowDeliveryDto,
    @Res() response: Response,
  ): Promise<void> {
    this.pages.send(response, deliveryPage(await this.log.readAny(id), notice));
  }

  @Post(':id/redeliver')
  @Requires('page:open')
  @Audits('hook.enabled')
  @TakesBody(ANONYMOUS_BODY)
  async redeliver(
    @Param('id') id: number,
    @Body() { turn }: TurnDto,
    @SignedIn() author: User,
    @Res() response: Response,
  ): Promise<void> {
    const isSent = await this.log.redeliverAtTurn(id, turn, author);
    const notice: Notice = isSent ? 'delivery-repeated' : 'delivery-changed';
    this.pages.redirect(response, `/admin/deliveries/${String(id)}?notice=${notice}`);
  }

  /** A project that does not exist has no deliveries. */
  private async filtersOf(query: DeliveryFiltersDto): Promise<InstanceDeliveryFilters> {
    const { state, event, hook, project, from, to } = query;
    const found = project === undefined ? null : await this.projects.findMaintained(project.trim());
    return {
      state: state === '' ? undefined : state,
      kind: event === '' ? undefined : event,
      hookId: hook,
      projectId: project === undefined ? undefined : (found?.id ?? UNKNOWN_ID),
      from,
      to,
    };
  }
}
