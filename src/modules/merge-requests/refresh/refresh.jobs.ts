import { defineJob, type JobRequest } from '../../../platform/queue/index.js';
import type { PushedBranch } from '../../repository/index.js';
import type { Effect } from './target-moves.js';

/** Pushes come in bursts: one run a little later serves them all. */
const CHECK_DELAY_MS = 1_000;

export interface CheckPayload {
  /** The target project. */
  projectId: number;
}

/** Finds out which open merge requests of a project can be merged, where nobody knows. */
export const checkMergeability = defineJob<CheckPayload>('merge-requests', 'check-mergeability', {
  timeLimitMs: 30 * 60_000,
});

export const checkSoon = (projectId: number): JobRequest =>
  checkMergeability.with({ projectId }, { delayMs: CHECK_DELAY_MS });

/** A branch of a push, without the commits that it brought. */
export type MovedBranch = Omit<PushedBranch, 'newest'>;

export interface FollowPayload {
  projectId: number;
  /** Who pushed. */
  userId: number;
  branches: readonly MovedBranch[];
}

/** Has merge requests follow a push of very many branches. */
export const followBranches = defineJob<FollowPayload>('merge-requests', 'follow-branches', {
  transactional: true,
  timeLimitMs: 30 * 60_000,
});

export interface RecordPayload {
  mergeRequestId: number;
  /** With the branches that concern the request. */
  push: FollowPayload;
  /** What the push means to it as far as its head stays the same. */
  effect: Effect;
}

/** Lets a merge request follow a push that git had no time for when it was made. */
export const recordVersion = defineJob<RecordPayload>('merge-requests', 'record-version', {
  attempts: 10,
});

export interface DropPayload {
  /** The target project. */
  projectId: number;
  iid: number;
}

/** Removes the ref by which the head of a merge request was fetched that is deleted. */
export const dropHeadRef = defineJob<DropPayload>('merge-requests', 'drop-head-ref');
