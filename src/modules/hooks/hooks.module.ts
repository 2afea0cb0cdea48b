import { Module } from '@nestjs/common';
import { IssuablesModule } from '../issuables/index.js';
import { ProjectsModule } from '../projects/index.js';
import { RepositoryModule } from '../repository/index.js';
import { AttemptRecorder } from './deliveries/attempt-recorder.js';
import { DeliveriesRepository } from './deliveries/deliveries.repository.js';
import { HookDeliverer } from './deliveries/hook-deliverer.js';
import {
  DeliverHookJob,
  DeliverHookLaterJob,
  SealHookPasswordsJob,
  TrimDeliveriesJob,
} from './deliveries/hook-job-handlers.js';
import { HookNotifier } from './deliveries/hook-notifier.js';
import { HttpSender } from './deliveries/http-sender.js';
import { DeliveryLogRepository } from './delivery-log/delivery-log.repository.js';
import { DeliveryLogService } from './delivery-log/delivery-log.service.js';
import { HooksRepository } from './hooks.repository.js';
import { ProjectHooksListener } from './listeners/project-hooks.listener.js';
import { PushHooksListener } from './listeners/push-hooks.listener.js';
import { SystemHooksListener } from './listeners/system-hooks.listener.js';
import { BuildPayloadBuilder } from './payloads/build-payload-builder.js';
import { IssuePayloadBuilder } from './payloads/issue-payload-builder.js';
import { MergeRequestPayloadBuilder } from './payloads/merge-request-payload-builder.js';
import { NotePayloadBuilder } from './payloads/note-payload-builder.js';
import { PayloadsRepository } from './payloads/payloads.repository.js';
import { PushPayloadBuilder } from './payloads/push-payload-builder.js';
import { SharedObjects } from './payloads/shared-objects.js';
import { SystemPayloadBuilder } from './payloads/system-payload-builder.js';
import { HookSamplesRepository } from './project-hooks/hook-samples.repository.js';
import { HookTestsController } from './project-hooks/hook-tests.controller.js';
import { HookTestsService } from './project-hooks/hook-tests.service.js';
import { ProjectDeliveriesController } from './project-hooks/project-deliveries.controller.js';
import { ProjectHooksController } from './project-hooks/project-hooks.controller.js';
import { ProjectHooksService } from './project-hooks/project-hooks.service.js';
import { SamplePayloadBuilder } from './project-hooks/sample-payload-builder.js';
import { SystemDeliveriesController } from './system-hooks/system-deliveries.controller.js';
import { SystemHooksController } from './system-hooks/system-hooks.controller.js';
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
    AttemptRecorder,
    BuildPayloadBuilder,
    DeliverHookJob,
    DeliverHookLaterJob,
    DeliveriesRepository,
    DeliveryLogRepository,
    DeliveryLogService,
    HookDeliverer,
    HookNotifier,
    HookSamplesRepository,
    HookTestsService,
    HooksRepository,
    HttpSender,
    IssuePayloadBuilder,
    MergeRequestPayloadBuilder,
    NotePayloadBuilder,
    PayloadsRepository,
    ProjectHooksListener,
    ProjectHooksService,
    PushHooksListener,
    PushPayloadBuilder,
    SamplePayloadBuilder,
    SealHookPasswordsJob,
    SharedObjects,
    SystemHooksListener,
    SystemHooksService,
    SystemPayloadBuilder,
    TrimDeliveriesJob,
  ],
  exports: [DeliveryLogService],
})
export class HooksModule {}
