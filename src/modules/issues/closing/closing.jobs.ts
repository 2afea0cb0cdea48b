import type { Oid } from '../../../git/index.js';
import { defineJob, type JobRequest } from '../../../platform/queue/index.js';
import type { PushedBranch } from '../../repository/index.js';
import type { Closing } from '../writes/close-issue.js';

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
 * The process that took a push closes its issues itself, before it answers; should it die, a worker does
 * after this time.
 */
const HELD_BACK_MS = 1_000;

/**
 * Looks for references in the messages of the commits that a push brought to the default branch: what they say that
 * they close is closed.
 */
export const readCommits = defineJob<ReadCommitsPayload>('issues', 'read-commits', {
  transactional: true,
  timeLimitMs: 5 * 60_000,
});

/** Looks for references in the messages of commits that a push brought to other branches. */
export const mentionCommits = defineJob<MentionCommitsPayload>('issues', 'mention-commits', {
  transactional: true,
  timeLimitMs: 5 * 60_000,
});

/** Closes an issue that a pushed commit says it closes. */
export const closeByCommit = defineJob<Closing>('issues', 'close-by-commit', {
  transactional: true,
});

/** The job that reads a branch: that of the default branch may close issues. */
export function readCommitsOf(payload: ReadCommitsPayload): JobRequest {
  const delayMs = payload.branch.isDefault ? HELD_BACK_MS : 0;
  return readCommits.with(payload, { delayMs });
}

/** The job that closes an issue. */
export function closingOf(closing: Closing): JobRequest {
  return closeByCommit.with(closing, { delayMs: HELD_BACK_MS });
}
