import { Module } from '@nestjs/common';
import { IssuablesModule } from '../issuables/index.js';
import { MergeRequestsModule } from '../merge-requests/index.js';
import { ProjectsModule } from '../projects/index.js';
import { ReleasesModule } from '../releases/index.js';
import { RepositoryModule } from '../repository/index.js';
import { StorageModule } from '../storage/index.js';
import {
  CompleteEventJob,
  CompleteEventV4Job,
  EventCompleter,
} from './deliveries/complete-event.job.js';
import { DeliveriesRepository } from './deliveries/deliveries.repository.js';
import {
  DeliverHookJob,
  DeliverHookLaterJob,
  DeliverHookLaterV4Job,
  DeliverHookV4Job,
  HookDeliverer,
} from './deliveries/deliver-hook.job.js';
import { HookNotifier } from './deliveries/hook-notifier.js';
import { HttpSender } from './deliveries/http-sender.js';
import { SealHookPasswordsJob, TrimDeliveriesJob } from './deliveries/maintenance.jobs.js';
import { DeliveryLogRepository } from './delivery-log/delivery-log.repository.js';
import { DeliveryLogService } from './delivery-log/delivery-log.service.js';
import { HooksListener } from './hooks.listener.js';
import { CustomHeadersService } from './model/custom-headers.service.js';
import { HookVersionsService } from './model/hook-versions.service.js';
import { HooksRepository } from './hooks.repository.js';
import { BuildPayloadBuilder } from './v3/payloads/build-payload-builder.js';
import { CommitFiles } from './payloads/commit-files.js';
import { PayloadVersions } from './payloads/hook-payloads.js';
import { HookSamples } from './payloads/hook-samples.js';
import { InstancePayloadBuilder } from './payloads/instance-payload-builder.js';
import { IssuePayloadBuilder } from './v3/payloads/issue-payload-builder.js';
import { MergeRequestPayloadBuilder } from './v3/payloads/merge-request-payload-builder.js';
import { NotePayloadBuilder } from './v3/payloads/note-payload-builder.js';
import { PayloadCommits } from './payloads/payload-commits.js';
import { PayloadsRepository } from './payloads/payloads.repository.js';
import { PushPayloadBuilder } from './v3/payloads/push-payload-builder.js';
import { SharedObjects } from './v3/payloads/shared-objects.js';
import {
  HookTestsController,
  ProjectDeliveriesController,
  ProjectHooksController,
} from './v3/project-hooks.controller.js';
import { ProjectHooksService } from './project-hooks/project-hooks.service.js';
import { V3HookPayloads } from './v3/payloads/v3-hook-payloads.js';
import { SystemDeliveriesController, SystemHooksController } from './v3/system-hooks.controller.js';
import { SystemHooksService } from './system-hooks/system-hooks.service.js';
import { hooksAnswers } from './v3/refusals.js';
import { ReleasePayloadBuilder } from './v4/payloads/release-payload-builder.js';
import { V4EmojiPayloadBuilder } from './v4/payloads/emoji-payload-builder.js';
import { V4IssuePayloadBuilder } from './v4/payloads/issue-payload-builder.js';
import { V4JobPayloadBuilder } from './v4/payloads/job-payload-builder.js';
import { V4MergeRequestPayloadBuilder } from './v4/payloads/merge-request-payload-builder.js';
import { V4NotePayloadBuilder } from './v4/payloads/note-payload-builder.js';
import { V4PushPayloadBuilder } from './v4/payloads/push-payload-builder.js';
import { V4SharedObjects } from './v4/payloads/shared-objects.js';
import { V4HookPayloads } from './v4/payloads/v4-hook-payloads.js';
import { V4HookEventsController } from './v4/hook-events.controller.js';
import { V4ProjectHooksController } from './v4/project-hooks.controller.js';
import { v4HooksAnswers } from './v4/refusals.js';
import { V4SystemHooksController } from './v4/system-hooks.controller.js';

/** Hooks of projects and of the instance, their payloads and deliveries. */
@Module({
  imports: [
    IssuablesModule,
    MergeRequestsModule,
    ProjectsModule,
    ReleasesModule,
    RepositoryModule,
    StorageModule,
  ],
  controllers: [
    HookTestsController,
    ProjectDeliveriesController,
    ProjectHooksController,
    SystemDeliveriesController,
    SystemHooksController,
    V4HookEventsController,
    V4ProjectHooksController,
    V4SystemHooksController,
  ],
  providers: [
    hooksAnswers,
    v4HooksAnswers,
    BuildPayloadBuilder,
    CommitFiles,
    CompleteEventJob,
    CompleteEventV4Job,
    CustomHeadersService,
    DeliverHookJob,
    DeliverHookLaterJob,
    DeliverHookLaterV4Job,
    DeliverHookV4Job,
    DeliveriesRepository,
    DeliveryLogRepository,
    DeliveryLogService,
    EventCompleter,
    HookDeliverer,
    HookNotifier,
    HookSamples,
    HookVersionsService,
    HooksListener,
    HooksRepository,
    HttpSender,
    InstancePayloadBuilder,
    IssuePayloadBuilder,
    MergeRequestPayloadBuilder,
    NotePayloadBuilder,
    PayloadCommits,
    PayloadsRepository,
    ProjectHooksService,
    PushPayloadBuilder,
    {
      provide: PayloadVersions,
      useFactory: (...payloads: [V3HookPayloads, V4HookPayloads]) => new PayloadVersions(payloads),
      inject: [V3HookPayloads, V4HookPayloads],
    },
    ReleasePayloadBuilder,
    SealHookPasswordsJob,
    SharedObjects,
    SystemHooksService,
    TrimDeliveriesJob,
    V3HookPayloads,
    V4EmojiPayloadBuilder,
    V4HookPayloads,
    V4IssuePayloadBuilder,
    V4JobPayloadBuilder,
    V4MergeRequestPayloadBuilder,
    V4NotePayloadBuilder,
    V4PushPayloadBuilder,
    V4SharedObjects,
  ],
  exports: [DeliveryLogService, HookVersionsService],
})
export class HooksModule {}
