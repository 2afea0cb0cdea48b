import { defineRecurringJob } from '../../../platform/queue/index.js';

/** Removes uploads that a dead process left half received, or that no project owns, once a day. */
export const sweepUploads = defineRecurringJob({
  queue: 'projects',
  name: 'sweep-uploads',
  everyMs: 24 * 60 * 60 * 1000,
  timeLimitMs: 60 * 60_000,
});
