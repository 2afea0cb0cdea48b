import { OutboxRelay } from '../../src/platform/queue/outbox/outbox-relay.js';
import type { Trellis } from './trellis.js';
import { until } from './until.js';

/**
 * Asks until there is an answer, as `until` does. Before each question the relay hands over jobs that are due, which it does once
 * a second by itself.
 */
export function untilJobsRan<T>(
  trellis: Trellis,
  ask: () => Promise<T | null | undefined | false>,
): Promise<T> {
  const relay = trellis.app.get(OutboxRelay);
  return until(() => {
    relay.wake();
    return ask();
  });
}

/** Resolves when all jobs of a queue have run, without their delays. */
export async function runJobsOf(trellis: Trellis, queue: string): Promise<void> {
  await untilJobsRan(trellis, async () => {
    await trellis.rows(
      'UPDATE outbox SET run_at = now() WHERE queue = $1 AND run_at > now() AND enqueued_at IS NULL',
      [queue],
    );
    return (await trellis.rows('SELECT FROM outbox WHERE queue = $1', [queue])).length === 0;
  });
}
