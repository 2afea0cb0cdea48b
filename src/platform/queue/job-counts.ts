import { Injectable } from '@nestjs/common';
import { Database } from '../database/index.js';

/**
 * Where a job stands: its time has not come, it waits to be handed to the queue, it is in the queue or
 * with a worker, or it was given up.
 */
export type JobState = 'delayed' | 'waiting' | 'queued' | 'failed';

export interface JobCount {
  readonly queue: string;
  readonly state: JobState;
  readonly count: number;
  /** Since the oldest of them was due, or was given up; 0 for delayed ones. */
  readonly oldestSeconds: number;
}

// The outbox holds every job until it is done, wherever the queues are.
const COUNTS = `
  SELECT queue, state, count(*)::int AS count,
         greatest(0, extract(epoch FROM now() - min(since)))::float8 AS "oldestSeconds"
    FROM (SELECT queue, coalesce(failed_at, run_at) AS since,
                 CASE WHEN failed_at IS NOT NULL THEN 'failed'
                      WHEN enqueued_at IS NOT NULL THEN 'queued'
                      WHEN run_at > now() THEN 'delayed'
                      ELSE 'waiting' END AS state
            FROM outbox) AS job
   GROUP BY queue, state ORDER BY queue, state`;

/** Counts the jobs of every queue that has some. */
@Injectable()
export class JobCounts {
  constructor(private readonly database: Database) {}

  read(): Promise<JobCount[]> {
    return this.database.rows<JobCount>(COUNTS);
  }
}
