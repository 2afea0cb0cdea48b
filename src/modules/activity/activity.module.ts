import { Global, Module } from '@nestjs/common';
import { ActivityLog } from './activity-log.repository.js';

/** Global, because every room above records activity. */
@Global()
@Module({ providers: [ActivityLog], exports: [ActivityLog] })
export class ActivityModule {}
