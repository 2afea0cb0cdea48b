import { Module } from '@nestjs/common';
import { GroupsModule } from '../groups/index.js';
import { SettingsModule } from '../settings/index.js';
import {
  AllDeployKeysController,
  DeployKeysController,
} from './access/deploy-keys/deploy-keys.controller.js';
import { DeployKeysRepository } from './access/deploy-keys/deploy-keys.repository.js';
import { DeployKeysService } from './access/deploy-keys/deploy-keys.service.js';
import {
  ProjectMembersController,
  ProjectUsersController,
} from './access/members/project-members.controller.js';
import { ProjectMembersRepository } from './access/members/project-members.repository.js';
import { ProjectMembersService } from './access/members/project-members.service.js';
import { RemoveExpiredAccessJob } from './access/remove-expired-access.job.js';
import { SharesController } from './access/shares/shares.controller.js';
import { SharesRepository } from './access/shares/shares.repository.js';
import { SharesService } from './access/shares/shares.service.js';
import { EventTargets } from './feeds/event-targets.js';
import { EventPresenter } from './feeds/event.view.js';
import { ProjectEventsController, UserEventsController } from './feeds/events.controller.js';
import { FeedsRepository } from './feeds/feeds.repository.js';
import { FeedsService } from './feeds/feeds.service.js';
import { ProjectCreationService } from './lifecycle/project-creation.service.js';
import { ProjectDeletionRepository } from './lifecycle/deletion/project-deletion.repository.js';
import { ProjectDeletionService } from './lifecycle/deletion/project-deletion.service.js';
import { PurgeProjectJob } from './lifecycle/deletion/purge-project.job.js';
import { RemoveOrphanedRepositoriesJob } from './lifecycle/deletion/remove-orphaned-repositories.job.js';
import { CopyRepositoryJob } from './lifecycle/forks/copy-repository.job.js';
import { ForkVisibility } from './lifecycle/forks/fork-visibility.js';
import { ForksController } from './lifecycle/forks/forks.controller.js';
import { ForksRepository } from './lifecycle/forks/forks.repository.js';
import { ForksService } from './lifecycle/forks/forks.service.js';
import { ImportRepositoryJob } from './lifecycle/imports/import-repository.job.js';
import { ImportRunner } from './lifecycle/imports/import-runner.js';
import { ImportsController } from './lifecycle/imports/imports.controller.js';
import { ImportsRepository } from './lifecycle/imports/imports.repository.js';
import { ImportsService } from './lifecycle/imports/imports.service.js';
import { OperatorImportsService } from './lifecycle/operator-imports.service.js';
import { RepositoryReadiness } from './lifecycle/repository-readiness.js';
import { ResumeFillingJob } from './lifecycle/resume-filling.job.js';
import { GroupProjectsController } from './lists/group-projects.controller.js';
import { GroupProjectsService } from './lists/group-projects.service.js';
import { ProjectListsController } from './lists/project-lists.controller.js';
import { ProjectListsRepository } from './lists/project-lists.repository.js';
import { ProjectsRepository } from './model/projects.repository.js';
import { ProjectPayloadBuilder } from './presentation/project-payload.view.js';
import { ProjectRelations } from './presentation/project-relations.js';
import { ProjectPresenter } from './presentation/project.view.js';
import { ProjectsController } from './projects.controller.js';
import { ProjectsService } from './projects.service.js';
import { StarsController } from './stars.controller.js';
import { PointHeadJob } from './storage/point-head.job.js';
import { ProjectStorage } from './storage/project-storage.js';
import { RefMovesRepository } from './storage/ref-moves.repository.js';
import { ProjectMeasurement } from './storage/quota/project-measurement.js';
import { ProjectSizesRepository } from './storage/quota/project-sizes.repository.js';
import { StorageQuota } from './storage/quota/storage-quota.js';
import { RepositoryLocks } from './storage/repository-locks.repository.js';
import { UploadStorage } from './storage/upload-storage.js';
import { RemoveOrphanedUploadsJob } from './storage/uploads/remove-orphaned-uploads.job.js';
import { UploadReceiver } from './storage/uploads/upload-receiver.js';
import {
  UploadDownloadsController,
  UploadsController,
} from './storage/uploads/uploads.controller.js';
import { UploadsService } from './storage/uploads/uploads.service.js';

@Module({
  imports: [GroupsModule, SettingsModule],
  // Lists first: other controllers would take their paths for IDs.
  controllers: [
    ProjectListsController,
    ForksController,
    ImportsController,
    ProjectMembersController,
    ProjectUsersController,
    ProjectsController,
    SharesController,
    StarsController,
    AllDeployKeysController,
    DeployKeysController,
    ProjectEventsController,
    UserEventsController,
    UploadDownloadsController,
    UploadsController,
  ],
  providers: [
    CopyRepositoryJob,
    DeployKeysRepository,
    DeployKeysService,
    EventPresenter,
    EventTargets,
    FeedsRepository,
    FeedsService,
    ForksRepository,
    ForksService,
    ForkVisibility,
    GroupProjectsService,
    ImportRepositoryJob,
    ImportRunner,
    ImportsRepository,
    ImportsService,
    OperatorImportsService,
    PointHeadJob,
    ProjectCreationService,
    ProjectDeletionRepository,
    ProjectDeletionService,
    ProjectListsRepository,
    ProjectMeasurement,
    ProjectMembersRepository,
    ProjectMembersService,
    ProjectPayloadBuilder,
    ProjectPresenter,
    ProjectRelations,
    ProjectSizesRepository,
    ProjectStorage,
    ProjectsRepository,
    ProjectsService,
    PurgeProjectJob,
    RefMovesRepository,
    RemoveExpiredAccessJob,
    RemoveOrphanedRepositoriesJob,
    RemoveOrphanedUploadsJob,
    RepositoryLocks,
    RepositoryReadiness,
    ResumeFillingJob,
    SharesRepository,
    SharesService,
    StorageQuota,
    UploadReceiver,
    UploadsService,
    UploadStorage,
  ],
  exports: [
    DeployKeysService,
    ForksRepository,
    GroupProjectsService,
    PointHeadJob,
    OperatorImportsService,
    ProjectCreationService,
    ProjectListsRepository,
    ProjectMeasurement,
    ProjectMembersRepository,
    ProjectPayloadBuilder,
    ProjectPresenter,
    ProjectRelations,
    ProjectSizesRepository,
    ProjectStorage,
    ProjectsRepository,
    ProjectsService,
    RefMovesRepository,
    RepositoryLocks,
    RepositoryReadiness,
    StorageQuota,
    UploadReceiver,
    UploadsService,
  ],
})
export class ProjectsModule {}

/** A module of its own, so that `groups/:id` is routed after the groups' own paths. */
@Module({
  imports: [GroupsModule, ProjectsModule],
  controllers: [GroupProjectsController],
})
export class GroupProjectsModule {}
