import { defineJob } from '../../../platform/queue/index.js';

export interface MergeRequestPayload {
  mergeRequestId: number;
}

/** Does what is left to do once a merge request is merged. */
export const finishMerge = defineJob<MergeRequestPayload>('merge-requests', 'finish-merge', {
  attempts: 10,
  timeLimitMs: 5 * 60_000,
});
