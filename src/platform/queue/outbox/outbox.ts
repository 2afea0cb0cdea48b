import { Injectable } from '@nestjs/common';
import { Database } from '../../database/index.js';
import { currentTraceparent } from '../../tracing/index.js';
import type { JobRequest } from '../jobs/job-definition.js';
import { countJobs, type JobCount } from './count-jobs.query.js';
import { FIND_UNFINISHED, INSERT, INSERT_UNLESS_WAITING, TAKE_OVER } from './outbox.sql.js';

/**
 * Adds jobs. A job is written in the caller's unit of work: it exists if and only if the unit is committed,
 * and then runs at least once.
 */
@Injectable()
export class Outbox {
  constructor(private readonly database: Database) {}

  /**
   * @returns the ID of the job
   * @throws Error (a programming mistake) outside a unit of work
   */
  async add(job: JobRequest): Promise<string> {
    const [id] = await this.addAll([job]);
    if (id === undefined) throw new Error('PostgreSQL returned no ID of a job');
    return id;
  }

  /** Whether a job has neither succeeded nor failed permanently. It may be waiting for another attempt. */
  async isUnfinished(id: string): Promise<boolean> {
    return (await this.database.rows(FIND_UNFINISHED, [id])).length > 0;
  }

  /**
   * Adds a job unless an equal one has yet to be handed to the queue and so will see this unit's
   * effects. Two units that add at the same time may both do so.
   * @throws Error (a programming mistake) outside a unit of work
   */
  async addUnlessWaiting(job: JobRequest): Promise<void> {
    this.#requireUnitOfWork();
    const parameters = [...keyOf(job), job.delayMs, currentTraceparent()];
    await this.database.rows(INSERT_UNLESS_WAITING, parameters);
  }

  /**
   * Removes an equal job whose work the caller does in this unit of work, or has done: if the unit fails, the job still
   * exists. Waits for a worker that is running it, if it is transactional.
   * @returns false when there is none, for a worker has done it
   * @throws Error (a programming mistake) outside a unit of work
   */
  async takeOver(job: JobRequest): Promise<boolean> {
    this.#requireUnitOfWork();
    return (await this.database.rows(TAKE_OVER, keyOf(job))).length > 0;
  }

  /**
   * Adds all jobs with one statement.
   * @returns their IDs, in no particular order
   * @throws Error (a programming mistake) outside a unit of work
   */
  async addAll(jobs: readonly JobRequest[]): Promise<string[]> {
    this.#requireUnitOfWork();
    if (jobs.length === 0) return [];
    const rows = await this.database.rows<{ id: string }>(INSERT, [
      jobs.map(({ definition }) => definition.queue),
      jobs.map(({ definition }) => definition.name),
      jobs.map(({ payload }) => JSON.stringify(payload)),
      jobs.map(({ delayMs }) => delayMs),
      jobs.map(({ fairnessKey }) => fairnessKey),
      currentTraceparent(),
    ]);
    return rows.map(({ id }) => id);
  }

  /** Counts the jobs of every queue that has some. The cost does not grow with their number. */
  countJobs(): Promise<JobCount[]> {
    return countJobs(this.database);
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
