import { Module } from '@nestjs/common';
import { GroupsModule } from '../groups/index.js';
import { SettingsModule } from '../settings/index.js';
import { CreateProject } from './create-project.js';
import { DefaultBranches } from './default-branches.js';
import { DeployKeysService } from './deploy-keys/deploy-keys.service.js';
import { DEPLOY_KEY_CONTROLLERS, DEPLOY_KEY_PROVIDERS } from './deploy-keys/providers.js';
import { ForksController } from './forks/forks.controller.js';
import { ForkLinksRepository } from './forks/fork-links.repository.js';
import { FORK_PROVIDERS } from './forks/providers.js';
import { ImportsController } from './imports/imports.controller.js';
import { IMPORT_PROVIDERS } from './imports/providers.js';
import { LateImport } from './late-import.js';
import { FEED_CONTROLLERS, FEED_PROVIDERS } from './feeds/providers.js';
import { ProjectListQuery } from './lists/project-list-query.js';
import { ProjectListsController } from './lists/project-lists.controller.js';
import { ProjectListsService } from './lists/project-lists.service.js';
import { ProjectMembersController } from './members/project-members.controller.js';
import { ProjectMembersRepository } from './members/project-members.repository.js';
import { ProjectMembersService } from './members/project-members.service.js';
import { ProjectUsersController } from './members/project-users.controller.js';
import { ProjectUsersRepository } from './members/project-users.repository.js';
import { RemoveExpiredAccess } from './members/remove-expired-access.js';
import { NamespaceDeletion } from './namespace-deletion.js';
import { ProjectChangeRules } from './project-change-rules.js';
import { ProjectDrafts } from './project-drafts.js';
import { ProjectFounding } from './project-founding.js';
import { ProjectObjects } from './project-objects.js';
import { ProjectRelations } from './project-relations.js';
import { ProjectPlacement } from './project-placement.js';
import { ProjectRemoval } from './project-removal.js';
import { ProjectRemovalRepository } from './project-removal.repository.js';
import { ProjectStorage } from './project-storage.js';
import { ProjectPresenter } from './project.presenter.js';
import { ProjectWrites } from './project-writes.js';
import { ProjectsController } from './projects.controller.js';
import { ProjectsRepository } from './projects.repository.js';
import { ProjectsService } from './projects.service.js';
import { ProjectRemains } from './project-remains.js';
import { PurgeProject } from './purge-project.js';
import { ProjectMeasurement } from './quota/project-measurement.js';
import { QUOTA_PROVIDERS } from './quota/providers.js';
import { StorageQuota } from './quota/storage-quota.js';
import { READINESS_PROVIDERS } from './readiness/providers.js';
import { RepositoryReadiness } from './readiness/repository-readiness.js';
import { RepositoryHead } from './repository-head.js';
import { RepositoryLocks } from './repository-locks.js';
import { SharesController } from './shares/shares.controller.js';
import { SharesRepository } from './shares/shares.repository.js';
import { SharesService } from './shares/shares.service.js';
import { StarsController } from './stars/stars.controller.js';
import { StarsRepository } from './stars/stars.repository.js';
import { StarsService } from './stars/stars.service.js';
import { SweepOrphanedRepositories } from './sweep-orphaned-repositories.js';
import { UpdateProject } from './update-project.js';
import { UPLOAD_CONTROLLERS, UPLOAD_PROVIDERS } from './uploads/providers.js';
import { UploadReceiver } from './uploads/upload-receiver.js';
import { UploadsService } from './uploads/uploads.service.js';

@Module({
  imports: [GroupsModule, SettingsModule],
  // Lists come first: their paths would be IDs to the others.
  controllers: [
    ProjectListsController,
    ForksController,
    ImportsController,
    ProjectMembersController,
    ProjectUsersController,
    ProjectsController,
    SharesController,
    StarsController,
    ...DEPLOY_KEY_CONTROLLERS,
    ...FEED_CONTROLLERS,
    ...UPLOAD_CONTROLLERS,
  ],
  providers: [
    ...DEPLOY_KEY_PROVIDERS,
    ...FEED_PROVIDERS,
    ...FORK_PROVIDERS,
    ...IMPORT_PROVIDERS,
    ...QUOTA_PROVIDERS,
    ...READINESS_PROVIDERS,
    ...UPLOAD_PROVIDERS,
    CreateProject,
    DefaultBranches,
    LateImport,
    NamespaceDeletion,
    ProjectChangeRules,
    ProjectDrafts,
    ProjectFounding,
    ProjectListQuery,
    ProjectListsService,
    ProjectMembersRepository,
    ProjectMembersService,
    ProjectObjects,
    ProjectRelations,
    ProjectPlacement,
    ProjectPresenter,
    ProjectRemoval,
    ProjectRemovalRepository,
    ProjectStorage,
    ProjectUsersRepository,
    ProjectWrites,
    ProjectsRepository,
    ProjectsService,
    ProjectRemains,
    PurgeProject,
    RemoveExpiredAccess,
    RepositoryHead,
    RepositoryLocks,
    SharesRepository,
    SharesService,
    StarsRepository,
    StarsService,
    SweepOrphanedRepositories,
    UpdateProject,
  ],
  exports: [
    DeployKeysService,
    ForkLinksRepository,
    ProjectListQuery,
    ProjectMeasurement,
    ProjectObjects,
    ProjectRelations,
    ProjectPlacement,
    ProjectPresenter,
    ProjectStorage,
    ProjectUsersRepository,
    ProjectsRepository,
    ProjectsService,
    RepositoryLocks,
    RepositoryReadiness,
    StorageQuota,
    UploadReceiver,
    UploadsService,
  ],
})
export class ProjectsModule {}
