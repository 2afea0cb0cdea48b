import type { Oid } from '../../../git/index.js';
import { defineJob, type JobRequest } from '../../../platform/queue/index.js';
import type { PushedBranch } from '../../repository/index.js';
import type { Closing } from '../issues.service.js';

export interface ReadCommitsPayload {
  projectId: number;
  /** Who pushed. */
  userId: number;
  /** Jobs of older versions do not name commits. */
  branch: Omit<PushedBranch, 'newest'> & Partial<Pick<PushedBranch, 'newest'>>;
}

export interface MentionCommitsPayload {
  projectId: number;
  /** Who pushed. */
  userId: number;
  commits: readonly Oid[];
}

/**
 * Delay of jobs that the process that received the push does itself, before it responds. A worker does them if that
 * process ends before.
 */
const POST_RECEIVE_DELAY_MS = 1_000;

/** Reads the commits that were pushed to the default branch for references, and closes the issues they close. */
export const readCommits = defineJob<ReadCommitsPayload>('issues', 'read-commits', {
  transactional: true,
  timeLimitMs: 5 * 60_000,
});

/** Reads the commits that were pushed to other branches for references. */
export const mentionCommits = defineJob<MentionCommitsPayload>('issues', 'mention-commits', {
  transactional: true,
  timeLimitMs: 5 * 60_000,
});

/** Closes an issue that a pushed commit closes. */
export const closeByCommit = defineJob<Closing>('issues', 'close-by-commit', {
  transactional: true,
});

/** Returns the job that reads a branch. The commits of the default branch may close issues. */
export function readCommitsJob(payload: ReadCommitsPayload): JobRequest {
  const delayMs = payload.branch.isDefault ? POST_RECEIVE_DELAY_MS : 0;
  return readCommits.with(payload, { delayMs });
}

/** Returns the job that closes an issue. */
export function closingJob(closing: Closing): JobRequest {
  return closeByCommit.with(closing, { delayMs: POST_RECEIVE_DELAY_MS });
}
