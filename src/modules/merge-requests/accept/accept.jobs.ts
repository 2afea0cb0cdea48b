import { defineJob } from '../../../platform/queue/index.js';
import type { MergeRequestPayload } from '../merges/merges.service.js';

/** Merges a request that waited for its build, which has succeeded. */
export const mergeWhenBuildSucceeds = defineJob<MergeRequestPayload>(
  'merge-requests',
  'merge-when-build-succeeds',
  { attempts: 10, timeLimitMs: 5 * 60_000 },
);
