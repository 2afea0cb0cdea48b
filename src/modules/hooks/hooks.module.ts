import { Module } from '@nestjs/common';
import { IssuablesModule } from '../issuables/index.js';
import { ProjectsModule } from '../projects/index.js';
import { RepositoryModule } from '../repository/index.js';
import { DeliveryCounting } from './deliveries/delivery-counts.js';
import { DELIVERY_PROVIDERS } from './deliveries/providers.js';
import { EVENT_PROVIDERS } from './events/providers.js';
import { HooksRepository } from './hooks.repository.js';
import { DELIVERY_LOG_CONTROLLERS, DELIVERY_LOG_PROVIDERS } from './log/providers.js';
import { PAYLOAD_PROVIDERS } from './payloads/providers.js';
import { PROJECT_HOOK_CONTROLLERS, PROJECT_HOOK_PROVIDERS } from './project-hooks/providers.js';
import { SAMPLE_CONTROLLERS, SAMPLE_PROVIDERS } from './samples/providers.js';
import { SYSTEM_HOOK_CONTROLLERS, SYSTEM_HOOK_PROVIDERS } from './system-hooks/providers.js';

/** Hooks of projects and of the instance, and their deliveries (specification 4.5, open points 7). */
@Module({
  imports: [IssuablesModule, ProjectsModule, RepositoryModule],
  controllers: [
    ...DELIVERY_LOG_CONTROLLERS,
    ...PROJECT_HOOK_CONTROLLERS,
    ...SAMPLE_CONTROLLERS,
    ...SYSTEM_HOOK_CONTROLLERS,
  ],
  providers: [
    ...DELIVERY_LOG_PROVIDERS,
    ...DELIVERY_PROVIDERS,
    ...EVENT_PROVIDERS,
    ...PAYLOAD_PROVIDERS,
    ...PROJECT_HOOK_PROVIDERS,
    ...SAMPLE_PROVIDERS,
    ...SYSTEM_HOOK_PROVIDERS,
    HooksRepository,
  ],
  exports: [DeliveryCounting],
})
export class HooksModule {}
