import type { AnyJobDefinition } from './job-catalogue.js';
import { RetryJobLaterError, UnrecoverableJobError } from './job-handler.js';
import type { JobFailure } from './outbox.repository.js';

/** What follows from an attempt that failed with `error` after `earlier` failed attempts. */
export function failureOf(
  error: unknown,
  definition: AnyJobDefinition,
  earlier: number,
): JobFailure {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const attempts = earlier + 1;
  const isLast = error instanceof UnrecoverableJobError || attempts >= definition.attempts;
  if (isLast) return { error: message, delayMs: null };
  const delayMs =
    error instanceof RetryJobLaterError ? error.delayMs : definition.backoff(attempts);
  return { error: message, delayMs };
}
