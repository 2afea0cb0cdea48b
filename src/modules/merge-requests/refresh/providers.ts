import { CheckMergeability } from './check-mergeability.js';
import { DropHeadRef } from './drop-head-ref.js';
import { FollowBranches } from './follow-branches.js';
import { FollowRequest } from './follow-request.js';
import { FollowSource } from './follow-source.js';
import { FollowedRequestsRepository } from './followed-requests.repository.js';
import { Mergeability } from './mergeability.js';
import { PushAdvice } from './push-advice.js';
import { PushRecordedListener } from './push-recorded-listener.js';
import { RecordVersion } from './record-version.js';
import { RefreshRequests } from './refresh-requests.js';
import { TargetMoves } from './target-moves.js';

/** What keeps merge requests in step with their branches. */
export const REFRESH_PROVIDERS = [
  CheckMergeability,
  DropHeadRef,
  FollowBranches,
  FollowRequest,
  FollowSource,
  FollowedRequestsRepository,
  Mergeability,
  PushAdvice,
  PushRecordedListener,
  RecordVersion,
  RefreshRequests,
  TargetMoves,
];
