export {
  DELIVERY_STATES,
  type DeliveryState,
  HookDelivery,
  HookEvent,
} from './deliveries/hook-delivery.entity.js';
export type { DeliveryCounts } from './delivery-log/delivery-counts.query.js';
export {
  type DeliveryPage,
  type DeliveryPosition,
  type InstanceDelivery,
  type InstanceDeliveryDetail,
  type InstanceDeliveryFilters,
  type ReplayRange,
} from './delivery-log/delivery-log.repository.js';
export { DeliveryLogService } from './delivery-log/delivery-log.service.js';
export { HookVersionsService } from './model/hook-versions.service.js';
export {
  Hook,
  type HookKind,
  HOOK_VERSIONS,
  type HookVersion,
  PROJECT_HOOK_KINDS,
  SYSTEM_HOOK_KINDS,
} from './model/hook.entity.js';
export { ProjectHooksService } from './project-hooks/project-hooks.service.js';
export { HooksModule } from './hooks.module.js';
