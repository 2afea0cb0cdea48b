export { DomainEvent, DomainEvents, OnDomainEvent } from './domain-events.js';
export { EventsModule } from './events.module.js';
