/** Returns how many milliseconds to wait after the given number of failed attempts (1, 2, …). */
export type Backoff = (failedAttempts: number) => number;

/** How often a job is tried, and how long to wait between attempts. */
export interface RetryPolicy {
  readonly attempts: number;
  readonly backoff: Backoff;
}

/** What is recorded of an attempt that failed. */
export interface JobFailure {
  readonly error: string;
  /** Time to the next attempt in milliseconds; null: the job has failed permanently. */
  readonly delayMs: number | null;
}

/** Thrown by a handler when another attempt is pointless: the job fails permanently. */
export class UnrecoverableJobError extends Error {
  override readonly name = 'UnrecoverableJobError';
}

/** Thrown by a handler that knows better than its definition when the next attempt makes sense. */
export class RetryJobLaterError extends Error {
  override readonly name = 'RetryJobLaterError';

  constructor(
    message: string,
    readonly delayMs: number,
  ) {
    super(message);
  }
}

/** The attempt took longer than the job's definition allows. */
export class JobTimeLimitError extends Error {
  override readonly name = 'JobTimeLimitError';

  constructor(limitMs: number) {
    super(`The job did not end within ${limitMs} ms`);
  }
}

/** What follows from an attempt that failed with `error` after `earlier` failed attempts. */
export function failureOf(error: unknown, policy: RetryPolicy, earlier: number): JobFailure {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const attempts = earlier + 1;
  const isLast = error instanceof UnrecoverableJobError || attempts >= policy.attempts;
  if (isLast) return { error: message, delayMs: null };
  const delayMs = error instanceof RetryJobLaterError ? error.delayMs : policy.backoff(attempts);
  return { error: message, delayMs };
}

const JITTER = 0.2;

/** Doubles from `baseMs` up to `maxMs`, with jitter so that failures of one moment spread out. */
export function exponentialBackoff(baseMs: number, maxMs: number): Backoff {
  return (failedAttempts) => withJitter(Math.min(maxMs, baseMs * 2 ** (failedAttempts - 1)));
}

function withJitter(delayMs: number): number {
  return Math.round(delayMs * (1 - JITTER + 2 * JITTER * Math.random()));
}
