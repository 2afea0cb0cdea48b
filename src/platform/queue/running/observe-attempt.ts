import { jobDuration } from '../../metrics/index.js';
import { inTrace, parseTraceparent } from '../../tracing/index.js';
import { failureOf, RetryJobLaterError } from '../jobs/failures.js';
import { type AnyJobDefinition, keyOf } from '../jobs/job-definition.js';
import { WorkerStoppingError } from './worker-stopping-error.js';

/** An attempt of a job. */
interface Attempt {
  readonly definition: AnyJobDefinition;
  readonly jobId: string;
  /** Attempts that failed before it. */
  readonly attempts: number;
  /** Of the span that caused the job; null if that was not traced. */
  readonly traceparent: string | null;
}

/** Runs an attempt in the trace of what caused the job, and counts how it ends. */
export async function observeAttempt<T>(attempt: Attempt, work: () => Promise<T>): Promise<T> {
  const { definition, jobId, attempts, traceparent } = attempt;
  const { queue, name: job } = definition;
  const attributes = { 'trellis.job.id': jobId, 'trellis.job.attempt': attempts + 1 };
  const stopTimer = jobDuration.startTimer({ queue, job });
  try {
    const result = await inTrace(
      `job ${keyOf(queue, job)}`,
      { kind: 'consumer', attributes },
      { parent: parseTraceparent(traceparent), work },
    );
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
