import { jobDuration } from '../../metrics/index.js';
import { failureOf, RetryJobLaterError } from '../jobs/failures.js';
import type { AnyJobDefinition } from '../jobs/job-definition.js';
import { WorkerStoppingError } from './worker-stopping-error.js';

/** An attempt of a job. */
interface Attempt {
  readonly definition: AnyJobDefinition;
  /** Attempts that failed before it. */
  readonly attempts: number;
}

/** Runs an attempt and counts how it ends. */
export async function observeAttempt<T>(attempt: Attempt, work: () => Promise<T>): Promise<T> {
  const { queue, name: job } = attempt.definition;
  const stopTimer = jobDuration.startTimer({ queue, job });
  try {
    const result = await work();
    stopTimer({ outcome: 'succeeded' });
    return result;
  } catch (error) {
    stopTimer({ outcome: outcomeOf(error, attempt) });
    throw error;
  }
}

function outcomeOf(error: unknown, { definition, attempts }: Attempt): string {
  if (error instanceof WorkerStoppingError) return 'given_back';
  if (failureOf(error, definition, attempts).delayMs === null) return 'given_up';
  return error instanceof RetryJobLaterError ? 'postponed' : 'failed';
}
