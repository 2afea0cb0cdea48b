import { Injectable } from '@nestjs/common';
import { Database } from '../../database/index.js';
import { COUNTED_ITEMS, Page, type PageRequest, windowOf } from '../../pagination/index.js';
import type { OutboxJob } from './outbox.entity.js';
import { JOB_STATE, type JobState } from './outbox.sql.js';

/** A job that failed permanently, as lists show it. */
export type FailedJob = Pick<
  OutboxJob,
  'id' | 'queue' | 'name' | 'round' | 'attempts' | 'error' | 'createdAt'
> & { readonly failedAt: Date };

/** A job in any state, with its payload. */
export type JobDetail = Omit<OutboxJob, 'payload'> & {
  readonly state: JobState;
  /** Null when it is too long to be shown. */
  readonly payload: object | null;
};

/** The number of a list that is not counted. */
const UNCOUNTED = COUNTED_ITEMS + 1;

/** Characters of the longest payload that is shown; payloads consist of IDs and snapshots. */
const SHOWN_PAYLOAD = 64 * 1_024;

/** The condition stands in the text, so that those of one queue are read by an index of their own. */
const pageOf = (condition: string): string => `
  SELECT id, queue, name, round, attempts, error, created_at AS "createdAt", failed_at AS "failedAt"
    FROM outbox WHERE failed_at IS NOT NULL AND ${condition}
   ORDER BY failed_at DESC, id DESC LIMIT $1 OFFSET $2`;

const DETAIL = `
  SELECT id, queue, name, run_at AS "runAt", round, attempts, error, created_at AS "createdAt",
         enqueued_at AS "enqueuedAt", failed_at AS "failedAt", ${JOB_STATE} AS state,
         CASE WHEN length(payload::text) <= ${String(SHOWN_PAYLOAD)} THEN payload END AS payload
    FROM outbox WHERE id = $1`;

// The round is that of the failure. The relay hands the job over with the round's id, which the queue has not seen.
const RETRY = `
  UPDATE outbox SET failed_at = NULL, attempts = 0, run_at = now()
   WHERE id = $1 AND round = $2 AND failed_at IS NOT NULL
  RETURNING queue, name`;

const REMOVE = `
  DELETE FROM outbox WHERE id = $1 AND round = $2 AND failed_at IS NOT NULL
  RETURNING queue, name`;

/** Names a kind of job. */
export type JobName = Pick<OutboxJob, 'queue' | 'name'>;

/**
 * Jobs that failed permanently, and what operators do about them. The outbox has them wherever the queues are. No worker runs a
 * failed job: what an operator changes here is a row that nothing else writes.
 */
@Injectable()
export class FailedJobsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Those that failed last come first. The page does not say how many there are.
   * @param queue all queues when undefined
   */
  async page(queue: string | undefined, request: PageRequest): Promise<Page<FailedJob>> {
    const { offset, limit } = windowOf(request);
    const sql = pageOf(queue === undefined ? 'true' : 'queue = $3');
    const parameters = queue === undefined ? [limit, offset] : [limit, offset, queue];
    const rows = await this.database.rows<FailedJob>(sql, parameters);
    return Page.cut(rows, UNCOUNTED, request);
  }

  /** Finds a job in any state; null when it has succeeded or was removed. */
  async find(id: string): Promise<JobDetail | null> {
    const [job] = await this.database.rows<JobDetail>(DETAIL, [id]);
    return job ?? null;
  }

  /**
   * Lets a failed job run again, with all its attempts.
   * @param round the failure that is meant: the second of two equal requests finds another, or none
   * @returns undefined when the job has not failed, or has failed once more
   */
  async retry(id: string, round: number): Promise<JobName | undefined> {
    const [job] = await this.database.rows<JobName>(RETRY, [id, round]);
    return job;
  }

  /** Removes a failed job for good. Parameters and result are as those of `retry`. */
  async remove(id: string, round: number): Promise<JobName | undefined> {
    const [job] = await this.database.rows<JobName>(REMOVE, [id, round]);
    return job;
  }
}
