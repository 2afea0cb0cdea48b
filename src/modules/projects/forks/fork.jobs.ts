import { defineJob } from '../../../platform/queue/index.js';

/** How often a copy is tried in a row; what is still not copied then is tried again much later. */
export const COPY_ATTEMPTS = 6;

export interface CopyPayload {
  projectId: number;
  /** Null when nothing tells any more what the project was forked from. */
  sourceId: number | null;
}

/** Gives a fork the branches and tags of the project it was made from. */
export const copyRepository = defineJob<CopyPayload>('forks', 'copy-repository', {
  attempts: COPY_ATTEMPTS,
  timeLimitMs: 90 * 60_000,
});
