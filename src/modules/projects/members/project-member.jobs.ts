import { defineRecurringJob } from '../../../platform/queue/index.js';

/**
 * Removes memberships and shares of projects that have expired, once a day
 * (docs/reference/members.md#expiry).
 */
export const removeExpiredAccess = defineRecurringJob({
  queue: 'projects',
  name: 'remove-expired-access',
  everyMs: 24 * 60 * 60 * 1000,
  timeLimitMs: 60 * 60_000,
});
