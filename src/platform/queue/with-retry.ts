import { setTimeout as delay } from 'node:timers/promises';

const PAUSES_MS = [100, 300, 1_000, 2_000];

/**
 * Runs `work` until it succeeds, five times within a few seconds at most: for what has to be
 * recorded of a job that has ended, where giving up means that it runs again.
 */
export async function withRetry<T>(work: () => Promise<T>): Promise<T> {
  for (const pause of PAUSES_MS) {
    try {
      return await work();
    } catch {
      await delay(pause);
    }
  }
  return work();
}
