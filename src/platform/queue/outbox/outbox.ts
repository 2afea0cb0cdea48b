import { Injectable } from '@nestjs/common';
import { Database } from '../../database/index.js';
import type { JobRequest } from '../jobs/job-definition.js';
import { COUNT_JOBS, INSERT, INSERT_UNLESS_WAITING, TAKE_BACK } from './outbox.sql.js';

/**
 * Where a job stands: its time has not come, it waits to be handed to the queue, it is in the queue or
 * with a worker, or it was given up.
 */
type JobState = 'delayed' | 'waiting' | 'queued' | 'failed';

export interface JobCount {
  readonly queue: string;
  readonly state: JobState;
  readonly count: number;
  /** Since the oldest of them was due, or was given up; 0 for delayed ones. */
  readonly oldestSeconds: number;
}

/**
 * The way to cause a job: it is written in the caller's unit of work, so it exists exactly if the
 * unit is committed, and then runs at least once.
 */
@Injectable()
export class Outbox {
  constructor(private readonly database: Database) {}

  /** @throws Error (a programming mistake) outside a unit of work */
  async add(job: JobRequest): Promise<void> {
    await this.addAll([job]);
  }

  /**
   * Adds a job unless an equal one has yet to be handed to the queue and so will see this unit's
   * effects. Two units that add at the same time may both do so.
   * @throws Error (a programming mistake) outside a unit of work
   */
  async addUnlessWaiting(job: JobRequest): Promise<void> {
    this.#requireUnitOfWork();
    await this.database.rows(INSERT_UNLESS_WAITING, [...keyOf(job), job.delayMs]);
  }

  /**
   * Takes an equal job away that has yet to be handed to the queue, for the caller to do it in this unit of
   * work: if the unit fails, the job is there as before.
   * @returns false when there is none, or a worker has it
   * @throws Error (a programming mistake) outside a unit of work
   */
  async takeBack(job: JobRequest): Promise<boolean> {
    this.#requireUnitOfWork();
    return (await this.database.rows(TAKE_BACK, keyOf(job))).length > 0;
  }

  /**
   * Adds all jobs with one statement.
   * @throws Error (a programming mistake) outside a unit of work
   */
  async addAll(jobs: readonly JobRequest[]): Promise<void> {
    this.#requireUnitOfWork();
    if (jobs.length === 0) return;
    await this.database.rows(INSERT, [
      jobs.map(({ definition }) => definition.queue),
      jobs.map(({ definition }) => definition.name),
      jobs.map(({ payload }) => JSON.stringify(payload)),
      jobs.map(({ delayMs }) => delayMs),
    ]);
  }

  /** Counts the jobs of every queue that has some. */
  countJobs(): Promise<JobCount[]> {
    return this.database.rows<JobCount>(COUNT_JOBS);
  }

  #requireUnitOfWork(): void {
    if (this.database.manager.queryRunner?.isTransactionActive === true) return;
    throw new Error('A job can be added inside a unit of work only');
  }
}

/** What equal jobs have in common, in the order of the statements' parameters. */
const keyOf = ({ definition, payload }: JobRequest): string[] => [
  definition.queue,
  definition.name,
  JSON.stringify(payload),
];
