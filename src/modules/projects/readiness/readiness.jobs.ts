import { defineRecurringJob } from '../../../platform/queue/index.js';

/** Takes up copies and imports again that no job is at work on any more. */
export const resumeFilling = defineRecurringJob({
  queue: 'projects',
  name: 'resume-filling',
  everyMs: 10 * 60_000,
});
