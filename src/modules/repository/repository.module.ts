import { Global, Module } from '@nestjs/common';
import { ClusterModule } from '../../platform/cluster/index.js';
import { MonitoringModule } from '../../platform/monitoring/index.js';
import { FirstCommits, ProjectsModule } from '../projects/index.js';
import { SettingsModule } from '../settings/index.js';
import { StorageModule } from '../storage/index.js';
import { BranchesController } from './v3/branches/branches.controller.js';
import { BranchesService } from './branches/branches.service.js';
import { CommitCommentsController } from './v3/commits/commit-comments.controller.js';
import { CommitCommentsRepository } from './commits/comments/commit-comments.repository.js';
import { CommitCommentsService } from './commits/comments/commit-comments.service.js';
import { ChangelogService } from './commits/changelog.service.js';
import { CommitReadmeJob } from './commits/commit-readme.job.js';
import { CommitWriter } from './commits/commit-writer.js';
import { CommitsController, ContributorsController } from './v3/commits/commits.controller.js';
import { CommitsService } from './commits/commits.service.js';
import { CompareController, DiffsController } from './v3/diffs/diffs.controller.js';
import { DiffsService } from './commits/diffs.service.js';
import { ArchiveController, BlobsController } from './v3/files/downloads.controller.js';
import { FilesController, TreeController } from './v3/files/files.controller.js';
import { BlameService } from './files/blame.service.js';
import { FilesService } from './files/files.service.js';
import { SubmodulesService } from './files/submodules.service.js';
import { LanguagesService } from './files/languages.service.js';
import { RepositoryCheck } from './housekeeping/repository-check.js';
import { SweepLeftoversJob } from './housekeeping/sweep-leftovers.job.js';
import { TidyRepositoryJob } from './housekeeping/tidy-repository.job.js';
import { ProtectedBranchesRepository } from './protection/protected-branches.repository.js';
import { ProtectedBranchesService } from './protection/protected-branches.service.js';
import { ApiPush } from './pushes/api-push.js';
import { PushDescriber } from './pushes/payloads/push-describer.js';
import { PostReceive } from './pushes/post-receive.js';
import { PushAuthorizer } from './pushes/push-authorizer.js';
import { PushPreparation } from './pushes/push-preparation.js';
import { PushTransaction } from './pushes/push-transaction.js';
import { PushesRepository } from './pushes/pushes.repository.js';
import { ReceivePush } from './pushes/receive-push.js';
import { DefaultBranchInitializer } from './pushes/recording/default-branch.js';
import { PushRecorder } from './pushes/recording/push-recorder.js';
import { PushRecovery } from './pushes/recording/push-recovery.js';
import { AnswerCache } from './shared/answer-cache.js';
import { CombinedStatuses } from './commits/statuses/combined-statuses.js';
import { CommitStatusesController } from './v3/commits/commit-statuses.controller.js';
import { CommitStatusesRepository } from './commits/statuses/commit-statuses.repository.js';
import { CommitStatusesService } from './commits/statuses/commit-statuses.service.js';
import { Pipelines } from './commits/statuses/pipelines.js';
import { PipelinesRepository } from './commits/statuses/pipelines.repository.js';
import { DeletedTagsListener } from './tags/deleted-tags.listener.js';
import { ReleasesRepository } from './tags/releases.repository.js';
import { TagsController } from './v3/tags/tags.controller.js';
import { TagsService } from './tags/tags.service.js';
import { repositoryAnswers } from './v3/refusals.js';
import { V4BranchesController } from './v4/branches/branches.controller.js';
import { V4ChangelogController } from './v4/commits/changelog.controller.js';
import { CommitDiscussionsService } from './commits/comments/commit-discussions.service.js';
import { V4CommitDiscussionsController } from './v4/commits/commit-discussions.controller.js';
import { V4CommitCommentsController } from './v4/commits/commit-comments.controller.js';
import { V4CommitStatusesController } from './v4/commits/commit-statuses.controller.js';
import { V4CommitPresenter } from './v4/commits/commit.presenter.js';
import { V4CommitsController, V4ContributorsController } from './v4/commits/commits.controller.js';
import { V4CompareController, V4DiffsController } from './v4/diffs/diffs.controller.js';
import {
  V4ArchiveController,
  V4BlobsController,
  V4RawBlobsController,
  V4RawFilesController,
} from './v4/files/downloads.controller.js';
import { V4FilesController, V4TreeController } from './v4/files/files.controller.js';
import { V4SubmodulesController } from './v4/files/submodules.controller.js';
import { V4LanguagesController } from './v4/files/languages.controller.js';
import { V4PipelinePresenter } from './v4/pipelines/pipeline.view.js';
import { V4PipelinesController } from './v4/pipelines/pipelines.controller.js';
import { v4RepositoryAnswers } from './v4/refusals.js';
import { V4TagsController } from './v4/tags/tags.controller.js';

/** Global, because new projects get their first commit through it. */
@Global()
@Module({
  imports: [ClusterModule, MonitoringModule, ProjectsModule, SettingsModule, StorageModule],
  // Routes below a commit come before CommitsController, whose wildcard takes the rest of the path.
  controllers: [
    CommitCommentsController,
    CommitStatusesController,
    ArchiveController,
    BlobsController,
    CompareController,
    ContributorsController,
    DiffsController,
    FilesController,
    TagsController,
    TreeController,
    BranchesController,
    CommitsController,
    V4ArchiveController,
    V4BlobsController,
    V4BranchesController,
    V4ChangelogController,
    V4CommitCommentsController,
    V4CommitDiscussionsController,
    V4CommitStatusesController,
    V4CompareController,
    V4ContributorsController,
    V4DiffsController,
    V4FilesController,
    V4LanguagesController,
    V4PipelinesController,
    V4RawBlobsController,
    V4RawFilesController,
    V4SubmodulesController,
    V4TagsController,
    V4TreeController,
    V4CommitsController,
  ],
  providers: [
    repositoryAnswers,
    AnswerCache,
    ApiPush,
    BlameService,
    BranchesService,
    ChangelogService,
    CombinedStatuses,
    CommitReadmeJob,
    { provide: FirstCommits, useExisting: CommitReadmeJob },
    CommitCommentsRepository,
    CommitCommentsService,
    CommitDiscussionsService,
    CommitStatusesRepository,
    CommitStatusesService,
    CommitWriter,
    CommitsService,
    DefaultBranchInitializer,
    DeletedTagsListener,
    DiffsService,
    FilesService,
    LanguagesService,
    Pipelines,
    PipelinesRepository,
    PostReceive,
    ProtectedBranchesRepository,
    ProtectedBranchesService,
    PushAuthorizer,
    PushDescriber,
    PushPreparation,
    PushRecorder,
    PushRecovery,
    PushTransaction,
    PushesRepository,
    ReceivePush,
    ReleasesRepository,
    RepositoryCheck,
    SubmodulesService,
    SweepLeftoversJob,
    TagsService,
    TidyRepositoryJob,
    V4CommitPresenter,
    V4PipelinePresenter,
    v4RepositoryAnswers,
  ],
  exports: [
    AnswerCache,
    ApiPush,
    BranchesService,
    CombinedStatuses,
    CommitCommentsService,
    CommitsService,
    DiffsService,
    FirstCommits,
    ProtectedBranchesService,
    Pipelines,
    PushAuthorizer,
    PushDescriber,
    PushRecovery,
    ReceivePush,
    ReleasesRepository,
    TagsService,
    V4CommitPresenter,
    V4PipelinePresenter,
  ],
})
export class RepositoryModule {}
