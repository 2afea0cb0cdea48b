import { AutomaticMergers } from '../build-success/automatic-mergers.js';
import { BeginWaiting } from '../build-success/begin-waiting.js';
import { EndWaiting } from '../build-success/end-waiting.js';
import { FollowStatuses } from '../build-success/follow-statuses.js';
import { MergeWhenBuildSucceeds } from '../build-success/merge-when-build-succeeds.js';
import { ClosesIssuesController } from '../closed-issues/closes-issues.controller.js';
import { ClosingIssues } from '../closed-issues/closing-issues.js';
import { CommitMessages } from '../closed-issues/commit-messages.js';
import { ListClosedIssues } from '../closed-issues/list-closed-issues.js';
import { MergeClosings } from '../closed-issues/merge-closings.js';
import { AcceptController } from './accept.controller.js';
import { AcceptedRequests } from './accepted-requests.js';
import { AcceptJudge } from './accept-judge.js';
import { AcceptMergeRequest } from './accept-merge-request.js';
import { FinishMerge } from './finish-merge.js';
import { MergeAttemptsRepository } from './merge-attempts.repository.js';
import { MergeBranches } from './merge-branches.js';
import { MergeNow } from './merge-now.js';
import { MergesRepository } from './merges.repository.js';
import { RecordMerge } from './record-merge.js';
import { SettledMergeability } from './settled-mergeability.js';
import { SourceBranches } from './source-branches.js';

export const ACCEPT_CONTROLLERS = [AcceptController, ClosesIssuesController];

/** Merging: now, when the build succeeds, and what follows from it. */
export const ACCEPT_PROVIDERS = [
  AcceptedRequests,
  AcceptJudge,
  AcceptMergeRequest,
  AutomaticMergers,
  BeginWaiting,
  ClosingIssues,
  CommitMessages,
  EndWaiting,
  FinishMerge,
  FollowStatuses,
  ListClosedIssues,
  MergeAttemptsRepository,
  MergeBranches,
  MergeClosings,
  MergeNow,
  MergesRepository,
  MergeWhenBuildSucceeds,
  RecordMerge,
  SettledMergeability,
  SourceBranches,
];
