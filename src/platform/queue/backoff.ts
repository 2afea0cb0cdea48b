/** Answers how many milliseconds to wait after the given number of failed attempts (1, 2, …). */
export type Backoff = (failedAttempts: number) => number;

const JITTER = 0.2;

/** Doubles from `baseMs` up to `maxMs`, with jitter so that failures of one moment spread out. */
export function exponentialBackoff(baseMs: number, maxMs: number): Backoff {
  return (failedAttempts) => withJitter(Math.min(maxMs, baseMs * 2 ** (failedAttempts - 1)));
}

/** Waits as listed, with jitter; the last entry repeats. */
export function scheduledBackoff(delaysMs: readonly [number, ...number[]]): Backoff {
  return (failedAttempts) => {
    const index = Math.min(failedAttempts, delaysMs.length) - 1;
    return withJitter(delaysMs[index] ?? delaysMs[0]);
  };
}

function withJitter(delayMs: number): number {
  return Math.round(delayMs * (1 - JITTER + 2 * JITTER * Math.random()));
}
