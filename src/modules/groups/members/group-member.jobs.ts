import { defineRecurringJob } from '../../../platform/queue/index.js';

/** Removes memberships of groups that have expired, once a day (open points 2.1). */
export const removeExpiredGroupMembers = defineRecurringJob({
  queue: 'groups',
  name: 'remove-expired-members',
  everyMs: 24 * 60 * 60 * 1000,
  timeLimitMs: 60 * 60_000,
});
