import { Injectable } from '@nestjs/common';
import { Database } from '../../database/index.js';
import { COUNT_JOBS } from './outbox.sql.js';

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

/** Counts the jobs of every queue that has some. */
@Injectable()
export class JobCounts {
  constructor(private readonly database: Database) {}

  read(): Promise<JobCount[]> {
    return this.database.rows<JobCount>(COUNT_JOBS);
  }
}
