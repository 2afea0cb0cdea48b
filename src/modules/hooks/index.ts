export { HookDelivery } from './deliveries/hook-delivery.entity.js';
export { HookEvent } from './deliveries/hook-event.entity.js';
export { Hook } from './hook.entity.js';
export { HooksModule } from './hooks.module.js';
export { HookBodies } from './payloads/hook-bodies.js';
