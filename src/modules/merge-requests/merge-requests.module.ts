import { Module } from '@nestjs/common';
import { IssuablesModule } from '../issuables/index.js';
import { IssuesModule } from '../issues/index.js';
import { ProjectsModule } from '../projects/index.js';
import { RepositoryModule } from '../repository/index.js';
import { AcceptController } from './accept/accept.controller.js';
import { AcceptService } from './accept/accept.service.js';
import { AutomaticMergeService } from './accept/automatic-merge.service.js';
import { MergeWhenBuildSucceedsJob } from './accept/merge-when-build-succeeds.job.js';
import { AWARD_CONTROLLERS, AWARD_PROVIDERS } from './awards/providers.js';
import { CloseDetachedJob } from './changes/close-detached.job.js';
import { MergeRequestChangeRecorder } from './changes/merge-request-change-recorder.js';
import { MergeRequestErasure } from './issuable/merge-request-erasure.js';
import { MergeRequestKind } from './issuable/merge-request-kind.js';
import { MergeRequestRelations } from './issuable/merge-request-relations.js';
import { MergeRequestTargets } from './issuable/merge-request-targets.js';
import { MergeRequestAttentionController } from './merge-request-attention.controller.js';
import { MergeRequestBranches } from './merge-request-branches.js';
import { MergeRequestFinder } from './merge-request-finder.js';
import { MergeRequestPresenter } from './merge-request.presenter.js';
import {
  MergeRequestsController,
  MergeRequestWritesController,
} from './merge-requests.controller.js';
import { MergeRequestsRepository } from './merge-requests.repository.js';
import { MergeRequestsService } from './merge-requests.service.js';
import { ClosesIssuesController } from './merges/closed-issues.controller.js';
import { ClosedIssuesService } from './merges/closed-issues.service.js';
import { MergeAttemptsRepository } from './merges/merge-attempts.repository.js';
import { MergesService } from './merges/merges.service.js';
import { NOTE_CONTROLLERS } from './notes/providers.js';
import { MergeRequestLinks } from './pushes/merge-request-links.js';
import { PushFollower } from './pushes/push-follower.js';
import { FollowBranchesJob, RecordVersionJob } from './pushes/push-job-handlers.js';
import { PushedRequestsRepository } from './pushes/pushed-requests.repository.js';
import { SourceBranchRecorder } from './pushes/source-branch-recorder.js';
import { CheckMergeabilityJob } from './versions/check-mergeability.job.js';
import { DropHeadRefJob } from './versions/drop-head-ref.job.js';
import { ContentsController, VersionsController } from './versions/versions.controller.js';
import { VersionsRepository } from './versions/versions.repository.js';
import { VersionsService } from './versions/versions.service.js';

/** Merge requests, their versions, accepting them, and notes and awards on them. */
@Module({
  imports: [IssuablesModule, IssuesModule, ProjectsModule, RepositoryModule],
  controllers: [
    AcceptController,
    ...AWARD_CONTROLLERS,
    ClosesIssuesController,
    ContentsController,
    MergeRequestAttentionController,
    MergeRequestsController,
    MergeRequestWritesController,
    ...NOTE_CONTROLLERS,
    VersionsController,
  ],
  providers: [
    AcceptService,
    AutomaticMergeService,
    ...AWARD_PROVIDERS,
    CheckMergeabilityJob,
    CloseDetachedJob,
    ClosedIssuesService,
    DropHeadRefJob,
    FollowBranchesJob,
    MergeAttemptsRepository,
    MergeRequestBranches,
    MergeRequestChangeRecorder,
    MergeRequestErasure,
    MergeRequestFinder,
    MergeRequestKind,
    MergeRequestLinks,
    MergeRequestPresenter,
    MergeRequestRelations,
    MergeRequestsRepository,
    MergeRequestsService,
    MergeRequestTargets,
    MergesService,
    MergeWhenBuildSucceedsJob,
    PushedRequestsRepository,
    PushFollower,
    RecordVersionJob,
    SourceBranchRecorder,
    VersionsRepository,
    VersionsService,
  ],
})
export class MergeRequestsModule {}
