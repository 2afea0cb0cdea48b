import { defineJob, defineRecurringJob } from '../../platform/queue/index.js';

/** Pushes come in bursts: one run a little later serves them all. */
export const TIDY_DELAY_MS = 10_000;

export interface TidyPayload {
  projectId: number;
  storage: string;
}

/** Keeps a repository quick to read after pushes: packs, commit graph. */
export const tidyRepository = defineJob<TidyPayload>('repositories', 'tidy-repository', {
  timeLimitMs: 30 * 60_000,
});

/** Finishes pushes that a crash interrupted. */
export const recoverPushes = defineRecurringJob({
  queue: 'repositories',
  name: 'recover-pushes',
  everyMs: 15_000,
});

/** Clears away what killed pushes left behind, in all repositories, once a day. */
export const sweepLeftovers = defineRecurringJob({
  queue: 'repositories',
  name: 'sweep-leftovers',
  everyMs: 24 * 60 * 60_000,
  timeLimitMs: 60 * 60_000,
});

export interface MergedBranchesPayload {
  projectId: number;
  /** Who asked for it, and deletes them. */
  userId: number;
}

/**
 * Deletes the branches whose commits the default branch has
 * (docs/reference/branches.md#delete-projectsidrepositorymerged_branches).
 */
export const deleteMergedBranches = defineJob<MergedBranchesPayload>(
  'repositories',
  'delete-merged-branches',
  { timeLimitMs: 10 * 60_000 },
);
