import {
  defineJob,
  defineRecurringJob,
  exponentialBackoff,
} from '../../../platform/queue/index.js';

export interface DeliveryPayload {
  deliveryId: string;
  /** The delivery's turn that this job is for; a job of an earlier turn does nothing. */
  turn: number;
}

// A job fails only when the service itself is in trouble: what receivers do is recorded, and answered
// with a job of the next turn. So patience costs nothing.
const PATIENT = { attempts: 1_000, backoff: exponentialBackoff(1_000, 60_000) };

/** Sends are cut off after ten seconds; the rest is for the database. */
const TIME_LIMIT_MS = 30_000;

/** Deliveries that one worker process has under way at once, in each of the two queues. */
export const WORKER_PLACES = 32;

/** Attempts one delivery, the first time. */
export const deliverHook = defineJob<DeliveryPayload>('hooks', 'deliver', {
  ...PATIENT,
  concurrency: WORKER_PLACES,
  timeLimitMs: TIME_LIMIT_MS,
});

/** Attempts one delivery again, or found no place the first time: a queue apart, where waiting is usual. */
export const deliverHookLater = defineJob<DeliveryPayload>('hooks-later', 'deliver-later', {
  ...PATIENT,
  concurrency: WORKER_PLACES,
  timeLimitMs: TIME_LIMIT_MS,
});

/** Seals passwords that stand in the clear: what an older version has written, or still writes beside. */
export const sealHookPasswords = defineRecurringJob({
  queue: 'maintenance',
  name: 'seal-hook-passwords',
  everyMs: 10 * 60_000,
  timeLimitMs: 5 * 60_000,
});

/** Forgets deliveries after the time their log is kept for. */
export const trimDeliveries = defineRecurringJob({
  queue: 'maintenance',
  name: 'trim-hook-deliveries',
  everyMs: 60 * 60_000,
  timeLimitMs: 10 * 60_000,
});
