export { type Activity, type ActivityAction, ActivityLog } from './activity-log.js';
export { ActivityModule } from './activity.module.js';
export { DomainEvent, OnDomainEvent } from './domain-event.js';
export { DomainEvents } from './domain-events.js';
export { ActivityEvent } from './event.entity.js';
