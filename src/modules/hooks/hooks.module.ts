import { Module } from '@nestjs/common';
import { IssuablesModule } from '../issuables/index.js';
import { ProjectsModule } from '../projects/index.js';
import { RepositoryModule } from '../repository/index.js';
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
import { HooksListener } from './hooks.listener.js';
import { HooksRepository } from './hooks.repository.js';
import { BuildPayloadBuilder } from './payloads/build-payload-builder.js';
import { IssuePayloadBuilder } from './payloads/issue-payload-builder.js';
import { MergeRequestPayloadBuilder } from './payloads/merge-request-payload-builder.js';
import { NotePayloadBuilder } from './payloads/note-payload-builder.js';
import { PayloadsRepository } from './payloads/payloads.repository.js';
import { PushPayloadBuilder } from './payloads/push-payload-builder.js';
import { SharedObjects } from './payloads/shared-objects.js';
import { SystemPayloadBuilder } from './payloads/system-payload-builder.js';
import {
  HookTestsController,
  ProjectDeliveriesController,
  ProjectHooksController,
} from './project-hooks/project-hooks.controller.js';
import { ProjectHooksService } from './project-hooks/project-hooks.service.js';
import { SamplePayloadBuilder } from './project-hooks/sample-payload-builder.js';
import {
  SystemDeliveriesController,
  SystemHooksController,
} from './system-hooks/system-hooks.controller.js';
import { SystemHooksService } from './system-hooks/system-hooks.service.js';

/** Hooks of projects and of the instance, their payloads and deliveries. */
@Module({
  imports: [IssuablesModule, ProjectsModule, RepositoryModule],
  controllers: [
    HookTestsController,
    ProjectDeliveriesController,
    ProjectHooksController,
    SystemDeliveriesController,
    SystemHooksController,
  ],
  providers: [
    BuildPayloadBuilder,
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
    SamplePayloadBuilder,
    SealHookPasswordsJob,
    SharedObjects,
    SystemHooksService,
    SystemPayloadBuilder,
    TrimDeliveriesJob,
  ],
  exports: [DeliveryLogService],
})
export class HooksModule {}
