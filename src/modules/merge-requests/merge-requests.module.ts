import { Module } from '@nestjs/common';
import { issuableControllers, IssuablesModule } from '../issuables/index.js';
import { RequiresEnabled } from '../issuables/v3/index.js';
import { IssuesModule } from '../issues/index.js';
import { ProjectsModule } from '../projects/index.js';
import { RepositoryModule } from '../repository/index.js';
import { StorageModule } from '../storage/index.js';
import { AcceptController } from './v3/accept.controller.js';
import { AcceptService } from './accept/accept.service.js';
import { AutomaticMergeService } from './accept/automatic-merge.service.js';
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
import { MergeAttemptsRepository } from './merges/merge-attempts.repository.js';
import { MergesService } from './merges/merges.service.js';
import { MergeRequestKind } from './model/merge-request-kind.js';
import { MergeRequestsRepository } from './model/merge-requests.repository.js';
import { MergeRequestLinks } from './pushes/merge-request-links.js';
import { PushFollower, RecordVersionJob } from './pushes/push-follower.js';
import { CheckMergeabilityJob } from './versions/check-mergeability.job.js';
import { MergeRequestBranches } from './versions/merge-request-branches.js';
import { VersionCheck } from './versions/version-check.js';
import { mergeRequestAnswers } from './v3/refusals.js';
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
    VersionsController,
  ],
  providers: [
    mergeRequestAnswers,
    AcceptService,
    AutomaticMergeService,
    CheckMergeabilityJob,
    CloseDetachedJob,
    ClosedIssuesService,
    MergeAttemptsRepository,
    MergeRequestBranches,
    MergeRequestChangeRecorder,
    MergeRequestKind,
    MergeRequestLinks,
    MergeRequestPresenter,
    MergeRequestsRepository,
    MergeRequestsService,
    MergesService,
    MergeWhenBuildSucceedsJob,
    PushFollower,
    RecordVersionJob,
    VersionCheck,
    VersionsRepository,
    VersionsService,
  ],
  exports: [MergeRequestsService, VersionsService],
})
export class MergeRequestsModule {}
