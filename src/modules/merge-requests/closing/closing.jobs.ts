import { defineJob } from '../../../platform/queue/index.js';

export interface CloseDetachedPayload {
  projectId: number;
  mergeRequestId: number;
  /** Who detached the fork; null: the author of the request stands for nobody in particular. */
  actorId: number | null;
}

/** Closes a merge request whose commits come from what is no fork of its project any more. */
export const closeDetached = defineJob<CloseDetachedPayload>('merge-requests', 'close-detached', {
  transactional: true,
});
