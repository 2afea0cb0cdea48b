import { Module } from '@nestjs/common';
import {
  issuableControllers,
  IssuablesModule,
  RequiresEnabled,
  v4IssuableControllers,
} from '../issuables/index.js';
import { IssuesModule } from '../issues/index.js';
import { ProjectsModule } from '../projects/index.js';
import { RepositoryModule } from '../repository/index.js';
import { StorageModule } from '../storage/index.js';
import { AcceptController } from './v3/accept.controller.js';
import { AcceptService } from './accept/accept.service.js';
import { ApprovalsService } from './accept/approvals.service.js';
import { AutomaticMergeService } from './accept/automatic-merge.service.js';
import { MergeByQuickActionJob } from './accept/merge-by-quick-action.job.js';
import { MergeRequestQuickActions } from './accept/merge-request-quick-actions.js';
import { MergeWhenBuildSucceedsJob } from './accept/merge-when-build-succeeds.job.js';
import { CloseDetachedJob } from './changes/close-detached.job.js';
import { MergeRequestChangeRecorder } from './changes/merge-request-change-recorder.js';
import { MergeRequestPresenter, MergeRequestView } from './v3/merge-request.view.js';
import {
  ClosesIssuesController,
  MergeRequestsController,
  OldCommentsController,
} from './v3/merge-requests.controller.js';
import { MergeRequestsService } from './merge-requests.service.js';
import { ClosedIssuesService } from './merges/closed-issues.service.js';
import { CommitMergeRequestsService } from './merges/commit-merge-requests.service.js';
import { MergeAttemptsRepository } from './merges/merge-attempts.repository.js';
import { MergeRefService } from './merges/merge-ref.service.js';
import { MergesService } from './merges/merges.service.js';
import { RelatedMergeRequestsService } from './merges/related-merge-requests.service.js';
import { MergeRequestKind } from './model/merge-request-kind.js';
import { MergeRequestsRepository } from './model/merge-requests.repository.js';
import { MergeRequestLinks } from './pushes/merge-request-links.js';
import { PushOptionFollower } from './pushes/push-option-follower.js';
import { PushFollower, RecordVersionJob } from './pushes/push-follower.js';
import { RebasesRepository } from './rebases/rebases.repository.js';
import { RebasesService } from './rebases/rebases.service.js';
import { CheckMergeabilityJob } from './versions/check-mergeability.job.js';
import { FollowPositionsJob } from './versions/follow-positions.job.js';
import { MergeRequestBranches } from './versions/merge-request-branches.js';
import { MergeRequestPipelines } from './versions/merge-request-pipelines.js';
import { PositionCheck } from './versions/position-check.js';
import { VersionCheck } from './versions/version-check.js';
import { mergeRequestAnswers } from './v3/refusals.js';
import { DetailedStatuses } from './accept/detailed-status.js';
import { V4ApprovalsController, V4ProjectApprovalsController } from './v4/approvals.controller.js';
import { V4ContentsController } from './v4/contents.controller.js';
import { V4MergeRequestDiscussionsController } from './v4/discussions.controller.js';
import { V4DraftNotesController } from './v4/draft-notes.controller.js';
import { V4MergeRefController } from './v4/merge-ref.controller.js';
import { V4MergeRequestListsController } from './v4/merge-request-lists.controller.js';
import { V4MergeRequestPresenter, V4SingleMergeRequestView } from './v4/merge-request.view.js';
import { V4MergeRequestsController, V4MergesController } from './v4/merge-requests.controller.js';
import { V4RawDiffsController } from './v4/raw-diffs.controller.js';
import { V4RelatedController } from './v4/related.controller.js';
import { v4MergeRequestAnswers } from './v4/refusals.js';
import { V4VersionsController } from './v4/versions.controller.js';
import { ContentsController, VersionsController } from './v3/versions.controller.js';
import { VersionsRepository } from './versions/versions.repository.js';
import { VersionsService } from './versions/versions.service.js';

/** The controllers of notes, awards, subscriptions and todos. */
const SHARED_CONTROLLERS = issuableControllers({
  type: 'MergeRequest',
  path: 'projects/:id/merge_requests/:merge_request_id',
  idParameter: 'merge_request_id',
  noun: 'merge request',
  oneNoun: 'a merge request',
  ability: 'merge-request:read',
  requiresEnabled: RequiresEnabled('MergeRequest'),
  view: MergeRequestView,
});

/** The same of version 4. */
const V4_SHARED_CONTROLLERS = v4IssuableControllers({
  type: 'MergeRequest',
  path: 'projects/:id/merge_requests/:merge_request_iid',
  iidParameter: 'merge_request_iid',
  noun: 'merge request',
  oneNoun: 'a merge request',
  ability: 'merge-request:read',
  readAbility: 'merge-request:browse',
  editAbility: 'merge-request:edit-any',
  requiresEnabled: RequiresEnabled('MergeRequest'),
  view: V4SingleMergeRequestView,
});

/** Merge requests, their versions, accepting them, and notes and awards on them. */
@Module({
  imports: [IssuablesModule, IssuesModule, ProjectsModule, RepositoryModule, StorageModule],
  controllers: [
    AcceptController,
    ClosesIssuesController,
    ContentsController,
    MergeRequestsController,
    ...SHARED_CONTROLLERS,
    OldCommentsController,
    V4ApprovalsController,
    V4ProjectApprovalsController,
    V4ContentsController,
    V4DraftNotesController,
    V4MergeRequestDiscussionsController,
    V4MergeRefController,
    V4MergeRequestListsController,
    V4MergeRequestsController,
    V4MergesController,
    V4RawDiffsController,
    V4RelatedController,
    V4VersionsController,
    ...V4_SHARED_CONTROLLERS,
    VersionsController,
  ],
  providers: [
    mergeRequestAnswers,
    v4MergeRequestAnswers,
    FollowPositionsJob,
    PositionCheck,
    DetailedStatuses,
    AcceptService,
    ApprovalsService,
    AutomaticMergeService,
    CheckMergeabilityJob,
    CloseDetachedJob,
    ClosedIssuesService,
    CommitMergeRequestsService,
    MergeAttemptsRepository,
    MergeByQuickActionJob,
    MergeRefService,
    MergeRequestBranches,
    MergeRequestChangeRecorder,
    MergeRequestKind,
    MergeRequestLinks,
    MergeRequestPipelines,
    MergeRequestPresenter,
    MergeRequestQuickActions,
    MergeRequestsRepository,
    MergeRequestsService,
    MergesService,
    MergeWhenBuildSucceedsJob,
    PushFollower,
    PushOptionFollower,
    RebasesRepository,
    RebasesService,
    RecordVersionJob,
    RelatedMergeRequestsService,
    V4MergeRequestPresenter,
    VersionCheck,
    VersionsRepository,
    VersionsService,
  ],
  exports: [DetailedStatuses, MergeRequestsService, VersionsService],
})
export class MergeRequestsModule {}
