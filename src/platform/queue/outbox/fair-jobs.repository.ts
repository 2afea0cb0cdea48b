import { Injectable } from '@nestjs/common';
import { Database } from '../../database/index.js';
import type { AnyJobDefinition } from '../jobs/job-definition.js';
import type { OutboxRow } from './outbox.repository.js';

/** How many jobs the queue gets before others have ended. */
export interface FairLimits {
  /** In the queue at once. */
  readonly window: number;
  /** Of them, those with one fairness key while others wait. */
  readonly share: number;
}

/** The jobs of a fair kind; both numbers are counted up to just above the window. */
export interface Backlog {
  readonly queue: string;
  readonly name: string;
  /** In the queue or with a worker. */
  readonly queued: number;
  /** To be handed over. */
  readonly due: number;
}

const WAITING = 'o.enqueued_at IS NULL AND o.failed_at IS NULL AND o.fairness_key IS NOT NULL';
const QUEUED = 'o.enqueued_at IS NOT NULL AND o.failed_at IS NULL';
const CLAIMED = 'o.id, o.queue, o.name, o.round, o.attempts';

const MEASURE = `
  SELECT job.queue, job.name,
         (SELECT count(*) FROM (SELECT FROM outbox o
           WHERE o.queue = job.queue AND ${QUEUED} LIMIT $3) AS queued)::int AS queued,
         (SELECT count(*) FROM (SELECT FROM outbox o
           WHERE o.queue = job.queue AND o.name = job.name AND ${WAITING} AND o.run_at <= now()
           LIMIT $3) AS due)::int AS due
    FROM unnest($1::text[], $2::text[]) AS job (queue, name)`;

const CLAIM_ALL = `
  SELECT ${CLAIMED} FROM outbox o
   WHERE o.queue = $1 AND o.name = $2 AND ${WAITING} AND o.run_at <= now()
   ORDER BY o.run_at, o.id LIMIT $3 FOR UPDATE SKIP LOCKED`;

/**
 * Claims rows by turns of their keys: first those of keys with the fewest jobs in the queue. The keys are found by one
 * look-up each in the index, and of each at most a share of the rows is read.
 */
const CLAIM_BY_TURNS = `
  WITH RECURSIVE keys AS (
    (SELECT o.fairness_key, o.run_at FROM outbox o WHERE o.queue = $1 AND ${WAITING}
      ORDER BY o.fairness_key, o.run_at, o.id LIMIT 1)
    UNION ALL
    SELECT following.fairness_key, following.run_at
      FROM keys CROSS JOIN LATERAL (
        SELECT o.fairness_key, o.run_at FROM outbox o
         WHERE o.queue = $1 AND ${WAITING} AND o.fairness_key > keys.fairness_key
         ORDER BY o.fairness_key, o.run_at, o.id LIMIT 1) AS following
  ), due AS MATERIALIZED (
    SELECT fairness_key, count(*) OVER () AS keys FROM keys WHERE run_at <= now()
  ), queued AS MATERIALIZED (
    SELECT fairness_key, count(*)::int AS jobs
      FROM (SELECT o.fairness_key FROM outbox o WHERE o.queue = $1 AND ${QUEUED} LIMIT $4) AS o
     GROUP BY fairness_key
  ), ranked AS (
    SELECT next.id, next.run_at, coalesce(queued.jobs, 0) + next.place AS rank
      FROM due LEFT JOIN queued USING (fairness_key)
     CROSS JOIN LATERAL (
        SELECT o.id, o.run_at, row_number() OVER (ORDER BY o.run_at, o.id) AS place
          FROM outbox o
         WHERE o.queue = $1 AND ${WAITING} AND o.fairness_key = due.fairness_key AND o.run_at <= now()
         ORDER BY o.run_at, o.id
         LIMIT greatest(0, least($3, 1 + 4 * $4 / due.keys) - coalesce(queued.jobs, 0))) AS next
     ORDER BY rank, next.run_at, next.id LIMIT $2
  )
  SELECT ${CLAIMED} FROM ranked JOIN outbox o ON o.id = ranked.id
   WHERE ${WAITING}
   ORDER BY ranked.rank, ranked.run_at, ranked.id FOR UPDATE OF o SKIP LOCKED`;

/**
 * Queries of the relay on jobs with a fairness key. The queue is first in, first out: what it holds of one key stands in the
 * way of all others, so a backlog waits in the outbox. See docs/decisions/0066-fair-shares.md.
 */
@Injectable()
export class FairJobsRepository {
  constructor(private readonly database: Database) {}

  /** Counts the jobs of each kind. */
  measure(jobs: readonly AnyJobDefinition[], { window }: FairLimits): Promise<Backlog[]> {
    const queues = jobs.map(({ queue }) => queue);
    const names = jobs.map(({ name }) => name);
    return this.database.rows<Backlog>(MEASURE, [queues, names, window + 1]);
  }

  /** Locks the rows to be handed over now, in this order; skips those that another relay has locked. */
  async claim(backlog: Backlog, { window, share }: FairLimits): Promise<OutboxRow[]> {
    const { queue, name, queued, due } = backlog;
    const left = window - queued;
    if (left <= 0 || due === 0) return [];
    if (queued + due <= share) return this.database.rows(CLAIM_ALL, [queue, name, left]);
    return this.database.rows(CLAIM_BY_TURNS, [queue, left, share, window]);
  }
}
