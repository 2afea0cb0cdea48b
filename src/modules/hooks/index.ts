export { DeliveryCounting, type DeliveryCounts } from './deliveries/delivery-counts.js';
export { HookDelivery } from './deliveries/hook-delivery.entity.js';
export { HookEvent } from './deliveries/hook-event.entity.js';
export { Hook } from './hook.entity.js';
export { HooksModule } from './hooks.module.js';
export { DeliveryReplay } from './log/replay.js';
export type { ReplayRange } from './log/replay.repository.js';
export { HookBodies } from './payloads/hook-bodies.js';
