import type { Statements } from '../../database/index.js';
import { COUNT_JOBS, type JobState } from './outbox.sql.js';

export interface JobCount {
  readonly queue: string;
  readonly state: JobState;
  /** Exact unless there are more. */
  readonly count: number;
  /** Whether there are more: they are counted up to `COUNTED_ITEMS`. */
  readonly hasMore: boolean;
  /** Since the oldest of them was due, or failed permanently; 0 for delayed ones. */
  readonly oldestSeconds: number;
}

/** Counts the jobs of every queue that has some. The cost does not grow with their number. */
export const countJobs = (statements: Statements): Promise<JobCount[]> =>
  statements.rowsInIndexOrder<JobCount>(COUNT_JOBS);
