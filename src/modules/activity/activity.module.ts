import { Global, Module } from '@nestjs/common';
import { ActivityLog } from './activity-log.repository.js';
import { DomainEvents } from './domain-events.js';

/** Global, because every room above publishes. */
@Global()
@Module({ providers: [ActivityLog, DomainEvents], exports: [ActivityLog, DomainEvents] })
export class ActivityModule {}
