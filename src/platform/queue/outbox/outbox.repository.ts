import { Injectable } from '@nestjs/common';
import { BatchedReads, Database, opaqueArray, withoutNul } from '../../database/index.js';
import type { JobFailure } from '../jobs/failures.js';
import { confirmJobs } from './outbox.sql.js';

/** Identifies a hand-over of an outbox row, which a job in the queue refers to. */
export interface OutboxReference {
  readonly id: string;
  readonly round: number;
}

export interface OutboxRow extends OutboxReference {
  readonly queue: string;
  readonly name: string;
  readonly attempts: number;
}

/** What a worker needs of a job. */
export interface LoadedJob {
  readonly payload: object;
  readonly attempts: number;
  /** Of the span that caused it. */
  readonly traceparent: string | null;
}

const MAX_ERROR_LENGTH = 4_000;

/** Queries of the relay, the workers and the sweep on the outbox. `Outbox` adds the rows. */
@Injectable()
export class OutboxRepository {
  private readonly loads = new BatchedReads<OutboxReference, LoadedJob | undefined>({
    key: jobIdOf,
    answer: (references) => this.loadAll(references),
  });

  constructor(private readonly database: Database) {}

  /** Locks the next rows without a fairness key to be handed over; skips those that another relay has locked. */
  claimDue(limit: number): Promise<OutboxRow[]> {
    return this.database.rows(
      `SELECT id, queue, name, round, attempts FROM outbox
       WHERE enqueued_at IS NULL AND failed_at IS NULL AND fairness_key IS NULL AND run_at <= now()
       ORDER BY run_at, id LIMIT $1 FOR UPDATE SKIP LOCKED`,
      [limit],
    );
  }

  /** Records at the commit that the jobs are in the queue. */
  async markEnqueued(ids: readonly string[]): Promise<void> {
    await this.database.runAtCommit(
      'UPDATE outbox SET enqueued_at = clock_timestamp() WHERE id = ANY($1::bigint[])',
      [ids],
    );
  }

  /** Returns the time `ageMs` ago by the database's clock, in its full precision. */
  async momentAgo(ageMs: number): Promise<string> {
    const [row] = await this.database.rows<{ moment: string }>(
      "SELECT (clock_timestamp() - $1 * interval '1 ms')::text AS moment",
      [ageMs],
    );
    if (row === undefined) throw new Error('PostgreSQL returned no time');
    return row.moment;
  }

  /** Locks rows that were last known to be in the queue before `moment`. */
  claimEnqueuedBefore(moment: string, limit: number): Promise<OutboxRow[]> {
    return this.database.rows(
      `SELECT id, queue, name, round, attempts FROM outbox
       WHERE enqueued_at < $1 AND failed_at IS NULL
       ORDER BY enqueued_at LIMIT $2 FOR UPDATE SKIP LOCKED`,
      [moment, limit],
    );
  }

  /**
   * Loads the job of exactly this round; undefined if it has ended, failed permanently or was given back since.
   * Jobs that start together are loaded together.
   */
  load(reference: OutboxReference): Promise<LoadedJob | undefined> {
    return this.loads.ask(reference);
  }

  /** As `load`, and locks the row until the transaction ends. */
  async loadAndLock(reference: OutboxReference): Promise<LoadedJob | undefined> {
    const [row] = await this.loadAll([reference], 'FOR UPDATE');
    return row;
  }

  /** Deletes the rows of jobs that have succeeded, in a unit of work at its commit. */
  async confirm(ids: readonly string[]): Promise<void> {
    await this.database.runAtCommit(confirmJobs('$1'), [[...ids].sort()]);
  }

  /** Counts a failed attempt and plans the next, unless another process has given the job back. */
  async recordFailure({ id, round }: OutboxReference, failure: JobFailure): Promise<void> {
    const error = withoutNul(failure.error).slice(0, MAX_ERROR_LENGTH);
    await this.database.rows(
      `UPDATE outbox SET attempts = attempts + 1, round = round + 1, error = $3, enqueued_at = NULL,
         run_at = now() + coalesce($4::float8, 0) * interval '1 ms',
         failed_at = CASE WHEN $4::float8 IS NULL THEN now() END
       WHERE id = $1 AND round = $2 AND failed_at IS NULL`,
      [id, round, error, failure.delayMs],
    );
  }

  /** Gives jobs back to the relay without counting an attempt. */
  async release(references: readonly OutboxReference[], delayMs = 0): Promise<void> {
    await this.database.rows(
      `UPDATE outbox SET round = outbox.round + 1, enqueued_at = NULL,
         run_at = now() + $3 * interval '1 ms'
       FROM unnest($1::bigint[], $2::int[]) AS released (id, round)
       WHERE outbox.id = released.id AND outbox.round = released.round AND failed_at IS NULL`,
      [references.map(({ id }) => id), references.map(({ round }) => round), delayMs],
    );
  }

  /** Deletes up to `limit` jobs that failed permanently more than `ageMs` ago; returns how many. */
  async trimFailed(ageMs: number, limit: number): Promise<number> {
    const rows = await this.database.rows(
      `DELETE FROM outbox WHERE id IN (
         SELECT id FROM outbox WHERE failed_at < now() - $1 * interval '1 ms'
         ORDER BY failed_at LIMIT $2)
       RETURNING id`,
      [ageMs, limit],
    );
    return rows.length;
  }

  private async loadAll(
    references: readonly OutboxReference[],
    lock: 'FOR UPDATE' | '' = '',
  ): Promise<(LoadedJob | undefined)[]> {
    const rows = await this.database.rows<OutboxReference & LoadedJob>(
      `SELECT id, round, payload, attempts, traceparent FROM outbox
       WHERE id = ANY(${opaqueArray('$1', 'bigint')}) AND failed_at IS NULL ${lock}`,
      [references.map(({ id }) => id)],
    );
    const loaded = new Map(rows.map((row) => [jobIdOf(row), row]));
    return references.map((reference) => loaded.get(jobIdOf(reference)));
  }
}

const JOB_ID = /^outbox-(\d{1,19})-(\d{1,9})$/;

/**
 * Returns the job's id in the queue. The queue ignores a job whose id it has. So a relay that crashes between
 * handing a row over and recording that can repeat it with the same id. A row that is given back (another attempt,
 * a lost job) gets a new round and so an unused id. Once the queue has removed a finished job, its id could be used
 * again, but without a row of that round it does not run.
 */
export function jobIdOf({ id, round }: OutboxReference): string {
  return `outbox-${id}-${round}`;
}

/** Returns the row that a job's id refers to; undefined for jobs without a row. */
export function parseJobId(jobId: string): OutboxReference | undefined {
  const [, id, round] = JOB_ID.exec(jobId) ?? [];
  return id === undefined ? undefined : { id, round: Number(round) };
}
