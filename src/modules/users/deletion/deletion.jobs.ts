import { defineJob } from '../../../platform/queue/index.js';

export interface EraseAccountPayload {
  userId: number;
}

/**
 * Removes what a deleted account leaves, or hands it to the ghost. It has to wait for the projects of
 * the personal namespace, hence the many attempts.
 */
export const eraseAccount = defineJob<EraseAccountPayload>('users', 'erase-account', {
  attempts: 1_000,
  timeLimitMs: 10 * 60_000,
});
