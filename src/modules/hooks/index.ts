export { HookDelivery, HookEvent } from './deliveries/hook-delivery.entity.js';
export {
  type DeliveryCounts,
  DeliveryLogRepository,
  type ReplayRange,
} from './delivery-log/delivery-log.repository.js';
export { DeliveryLogService } from './delivery-log/delivery-log.service.js';
export { Hook } from './hook.entity.js';
export { ProjectHooksService } from './project-hooks/project-hooks.service.js';
export { HooksModule } from './hooks.module.js';
