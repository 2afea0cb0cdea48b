import { Module } from '@nestjs/common';
import { GroupsModule } from '../groups/index.js';
import { SettingsModule } from '../settings/index.js';
import { StorageModule } from '../storage/index.js';
import { AllDeployKeysController, DeployKeysController } from './v3/deploy-keys.controller.js';
import { DeployKeysRepository } from './deploy-keys/deploy-keys.repository.js';
import { DeployKeysService } from './deploy-keys/deploy-keys.service.js';
import { ProjectTransfersService } from './lifecycle/project-transfers.service.js';
import { ProjectCreationService } from './lifecycle/project-creation.service.js';
import { ProjectDeletionRepository } from './lifecycle/deletion/project-deletion.repository.js';
import { ProjectDeletionService } from './lifecycle/deletion/project-deletion.service.js';
import { PurgeProjectJob } from './lifecycle/deletion/purge-project.job.js';
import { RemoveOrphanedRepositoriesJob } from './lifecycle/deletion/remove-orphaned-repositories.job.js';
import { CopyRepositoryJob } from './lifecycle/forks/copy-repository.job.js';
import { ForkVisibility } from './lifecycle/forks/fork-visibility.js';
import { ForksController } from './v3/lifecycle/forks.controller.js';
import { ForksRepository } from './lifecycle/forks/forks.repository.js';
import { ForksService } from './lifecycle/forks/forks.service.js';
import { ImportRepositoryJob } from './lifecycle/imports/import-repository.job.js';
import { ImportRunner } from './lifecycle/imports/import-runner.js';
import { ImportsController } from './v3/lifecycle/imports.controller.js';
import { ImportsRepository } from './lifecycle/imports/imports.repository.js';
import { ImportsService } from './lifecycle/imports/imports.service.js';
import { OperatorImportsService } from './lifecycle/operator-imports.service.js';
import { RepositoryReadiness } from './lifecycle/repository-readiness.js';
import { ResumeFillingJob } from './lifecycle/resume-filling.job.js';
import { GroupProjectsController } from './v3/lists/group-projects.controller.js';
import { GroupProjectsService } from './lists/group-projects.service.js';
import { ProjectListsController } from './v3/lists/project-lists.controller.js';
import { ProjectListsRepository } from './lists/project-lists.repository.js';
import { ProjectsRepository } from './model/projects.repository.js';
import { ProjectPayloadBuilder } from './v3/project-payload.view.js';
import { ProjectRelations } from './model/project-relations.js';
import { ProjectPresenter } from './v3/project.view.js';
import { ProjectsController } from './v3/projects.controller.js';
import { ProjectsService } from './projects.service.js';
import { StarsController } from './v3/stars.controller.js';
import { PointHeadJob } from './lifecycle/point-head.job.js';
import { RemoveOrphanedUploadsJob } from './lifecycle/deletion/remove-orphaned-uploads.job.js';
import { projectsAnswers } from './v3/refusals.js';
import { V4TransfersController } from './v4/lifecycle/transfers.controller.js';
import { V4AllDeployKeysController, V4DeployKeysController } from './v4/deploy-keys.controller.js';
import { V4ForksController } from './v4/lifecycle/forks.controller.js';
import { V4GroupProjectsController } from './v4/lists/group-projects.controller.js';
import { V4ProjectListsController } from './v4/lists/project-lists.controller.js';
import { V4ProjectPresenter } from './v4/project.presenter.js';
import { V4ProjectsController } from './v4/projects.controller.js';
import { V4TopicsController } from './v4/topics.controller.js';
import { RemoveUnusedTopicsJob } from './topics/remove-unused-topics.job.js';
import { TopicsRepository } from './topics/topics.repository.js';
import { TopicsService } from './topics/topics.service.js';

@Module({
  imports: [GroupsModule, SettingsModule, StorageModule],
  // Lists first: other controllers would take their paths for IDs.
  controllers: [
    ProjectListsController,
    ForksController,
    ImportsController,
    ProjectsController,
    StarsController,
    AllDeployKeysController,
    DeployKeysController,
    V4ProjectListsController,
    V4ForksController,
    V4TransfersController,
    V4ProjectsController,
    V4AllDeployKeysController,
    V4DeployKeysController,
    V4TopicsController,
  ],
  providers: [
    projectsAnswers,
    CopyRepositoryJob,
    DeployKeysRepository,
    DeployKeysService,
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
    ProjectTransfersService,
    ProjectDeletionRepository,
    ProjectDeletionService,
    ProjectListsRepository,
    ProjectPayloadBuilder,
    ProjectPresenter,
    ProjectRelations,
    ProjectsRepository,
    ProjectsService,
    PurgeProjectJob,
    RemoveOrphanedRepositoriesJob,
    RemoveOrphanedUploadsJob,
    RepositoryReadiness,
    ResumeFillingJob,
    RemoveUnusedTopicsJob,
    TopicsRepository,
    TopicsService,
    V4ProjectPresenter,
  ],
  exports: [
    DeployKeysService,
    ForksRepository,
    GroupProjectsService,
    PointHeadJob,
    OperatorImportsService,
    ProjectCreationService,
    ProjectListsRepository,
    ProjectPayloadBuilder,
    ProjectPresenter,
    ProjectRelations,
    ProjectsRepository,
    ProjectsService,
    ProjectTransfersService,
    RepositoryReadiness,
    V4ProjectPresenter,
  ],
})
export class ProjectsModule {}

/** A module of its own, so that `groups/:id` is routed after the groups' own paths. */
@Module({
  imports: [GroupsModule, ProjectsModule],
  controllers: [GroupProjectsController, V4GroupProjectsController],
})
export class GroupProjectsModule {}
