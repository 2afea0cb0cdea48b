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

/** Deliveries that one worker process attempts at once, in each of the two queues. */
export const WORKER_CONCURRENCY = 32;

const OPTIONS = {
  concurrency: WORKER_CONCURRENCY,
  // A request is cut off after ten seconds; the rest is for the database.
  timeLimitMs: 30_000,
  // A job fails only when the service itself is in trouble: what receivers do is recorded, and leads to a
  // job of the next turn. So many attempts do no harm.
  attempts: 1_000,
  backoff: exponentialBackoff(1_000, 60_000),
};

/** Makes the first attempt of a delivery. */
export const deliverHook = defineJob<DeliveryPayload>('hooks', 'deliver', OPTIONS);

/**
 * Makes a further attempt, or the first one of a delivery that was postponed or whose hook is failing. The
 * queue is separate because its receivers are often slow.
 */
export const deliverHookLater = defineJob<DeliveryPayload>('hooks-later', 'deliver-later', OPTIONS);

/**
 * Encrypts hook passwords that an older version, possibly still running during an upgrade, stored in plain
 * text.
 */
export const sealHookPasswords = defineRecurringJob({
  queue: 'maintenance',
  name: 'seal-hook-passwords',
  everyMs: 10 * 60_000,
  timeLimitMs: 5 * 60_000,
});

/** Deletes deliveries that are older than their log is kept. */
export const trimDeliveries = defineRecurringJob({
  queue: 'maintenance',
  name: 'trim-hook-deliveries',
  everyMs: 60 * 60_000,
  timeLimitMs: 10 * 60_000,
});
