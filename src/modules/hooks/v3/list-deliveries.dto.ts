import { EnumParam, PageQuery } from '../../../platform/http/index.js';
import { DELIVERY_STATES, type DeliveryState } from '../deliveries/hook-delivery.entity.js';
import {
  PROJECT_HOOK_KINDS,
  type ProjectHookKind,
  SYSTEM_HOOK_KINDS,
  type SystemHookKind,
} from '../model/hook.entity.js';
import type { DeliveryFilters } from '../delivery-log/delivery-log.repository.js';

class ListDeliveriesDto extends PageQuery {
  @EnumParam(DELIVERY_STATES, { description: 'Without it deliveries of every status.' })
  status?: DeliveryState;
}

/** `GET /projects/:id/hooks/:hook_id/deliveries` */
export class ListProjectDeliveriesDto extends ListDeliveriesDto {
  @EnumParam(PROJECT_HOOK_KINDS, { description: 'Without it deliveries of every kind of event.' })
  event?: ProjectHookKind;
}

/** `GET /hooks/:hook_id/deliveries` */
export class ListSystemDeliveriesDto extends ListDeliveriesDto {
  @EnumParam(SYSTEM_HOOK_KINDS, { description: 'Without it deliveries of every kind of event.' })
  event?: SystemHookKind;
}

export const toDeliveryFilters = ({
  status,
  event,
}: ListProjectDeliveriesDto | ListSystemDeliveriesDto): DeliveryFilters => ({
  state: status,
  kind: event,
});
