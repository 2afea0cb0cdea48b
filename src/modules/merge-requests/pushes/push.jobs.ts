import { defineJob } from '../../../platform/queue/index.js';
import type { PushedBranch } from '../../repository/index.js';

/** A branch of a push, without the commits that it brought. */
export type MovedBranch = Omit<PushedBranch, 'newest'>;

/**
 * The effect of a moved target branch on a merge request: its commits have arrived, its versions begin elsewhere,
 * or null: only its merge status is unknown.
 */
export type TargetEffect = 'merged' | 'changed' | null;

export interface FollowPayload {
  projectId: number;
  /** The user who pushed. */
  userId: number;
  branches: readonly MovedBranch[];
}

/** Updates the merge requests of some branches of a push that has moved very many. */
export const followBranches = defineJob<FollowPayload>('merge-requests', 'follow-branches', {
  transactional: true,
  timeLimitMs: 30 * 60_000,
});

export interface RecordPayload {
  mergeRequestId: number;
  /** The push with those of its branches that the request comes from or targets. */
  push: FollowPayload;
  /** The effect of the push in case the head of the request stays the same. */
  effect: TargetEffect;
}

/** Updates a merge request after a push that git could not be asked about when it was recorded. */
export const recordVersion = defineJob<RecordPayload>('merge-requests', 'record-version', {
  attempts: 10,
});
