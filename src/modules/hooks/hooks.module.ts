import { Module } from '@nestjs/common';
import { IssuablesModule } from '../issuables/index.js';
import { ProjectsModule } from '../projects/index.js';
import { ReleasesModule } from '../releases/index.js';
import { RepositoryModule } from '../repository/index.js';
import { StorageModule } from '../storage/index.js';
import { CompleteEventJob } from './deliveries/complete-event.job.js';
import { DeliveriesRepository } from './deliveries/deliveries.repository.js';
import {
  DeliverHookJob,
  DeliverHookLaterJob,
  HookDeliverer,
} from './deliveries/deliver-hook.job.js';
import { HookNotifier } from './deliveries/hook-notifier.js';
import { HttpSender } from './deliveries/http-sender.js';
import { SealHookPasswordsJob, TrimDeliveriesJob } from './deliveries/maintenance.jobs.js';
import { DeliveryLogRepository } from './delivery-log/delivery-log.repository.js';
import { DeliveryLogService } from './delivery-log/delivery-log.service.js';
import { HooksListener } from './v3/hooks.listener.js';
import { HooksRepository } from './hooks.repository.js';
import { BuildPayloadBuilder } from './v3/payloads/build-payload-builder.js';
import { HookPayloads } from './payloads/hook-payloads.js';
import { IssuePayloadBuilder } from './v3/payloads/issue-payload-builder.js';
import { MergeRequestPayloadBuilder } from './v3/payloads/merge-request-payload-builder.js';
import { NotePayloadBuilder } from './v3/payloads/note-payload-builder.js';
import { PayloadsRepository } from './payloads/payloads.repository.js';
import { PushPayloadBuilder } from './v3/payloads/push-payload-builder.js';
import { SharedObjects } from './v3/payloads/shared-objects.js';
import { SystemPayloadBuilder } from './v3/payloads/system-payload-builder.js';
import {
  HookTestsController,
  ProjectDeliveriesController,
  ProjectHooksController,
} from './v3/project-hooks.controller.js';
import { ProjectHooksService } from './project-hooks/project-hooks.service.js';
import { ProvidedHookPayloads } from './v3/payloads/provided-hook-payloads.js';
import { SystemDeliveriesController, SystemHooksController } from './v3/system-hooks.controller.js';
import { SystemHooksService } from './system-hooks/system-hooks.service.js';
import { hooksAnswers } from './v3/refusals.js';
import { ReleasePayloadBuilder } from './v4/payloads/release-payload-builder.js';
import { ReleasesListener } from './v4/releases.listener.js';
import { V4ProjectHooksController } from './v4/project-hooks.controller.js';
import { v4HooksAnswers } from './v4/refusals.js';
import { V4SystemHooksController } from './v4/system-hooks.controller.js';

/** Hooks of projects and of the instance, their payloads and deliveries. */
@Module({
  imports: [IssuablesModule, ProjectsModule, ReleasesModule, RepositoryModule, StorageModule],
  controllers: [
    HookTestsController,
    ProjectDeliveriesController,
    ProjectHooksController,
    SystemDeliveriesController,
    SystemHooksController,
    V4ProjectHooksController,
    V4SystemHooksController,
  ],
  providers: [
    hooksAnswers,
    v4HooksAnswers,
    BuildPayloadBuilder,
    CompleteEventJob,
    DeliverHookJob,
    DeliverHookLaterJob,
    DeliveriesRepository,
    DeliveryLogRepository,
    DeliveryLogService,
    HookDeliverer,
    HookNotifier,
    HooksListener,
    HooksRepository,
    HttpSender,
    IssuePayloadBuilder,
    MergeRequestPayloadBuilder,
    NotePayloadBuilder,
    PayloadsRepository,
    ProjectHooksService,
    PushPayloadBuilder,
    { provide: HookPayloads, useClass: ProvidedHookPayloads },
    ReleasePayloadBuilder,
    ReleasesListener,
    SealHookPasswordsJob,
    SharedObjects,
    SystemHooksService,
    SystemPayloadBuilder,
    TrimDeliveriesJob,
  ],
  exports: [DeliveryLogService],
})
export class HooksModule {}
