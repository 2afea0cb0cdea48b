import { defineRecurringJob } from '../../../platform/queue/index.js';

/** Measures projects in which something may have been stored that was not counted. */
export const settleReservations = defineRecurringJob({
  queue: 'projects',
  name: 'settle-reservations',
  everyMs: 60_000,
  timeLimitMs: 30 * 60_000,
});
