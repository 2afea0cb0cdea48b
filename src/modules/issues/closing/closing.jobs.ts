import { defineJob } from '../../../platform/queue/index.js';
import type { PushedBranch } from '../../repository/index.js';
import type { Closing } from '../writes/close-issue.js';

export interface ReadCommitsPayload {
  projectId: number;
  /** Who pushed. */
  userId: number;
  branch: PushedBranch;
}

/** Looks for references in the messages of the commits that a push brought to a branch. */
export const readCommits = defineJob<ReadCommitsPayload>('issues', 'read-commits', {
  transactional: true,
  timeLimitMs: 5 * 60_000,
});

/** Closes an issue that a pushed commit says it closes. */
export const closeByCommit = defineJob<Closing>('issues', 'close-by-commit', {
  transactional: true,
});
