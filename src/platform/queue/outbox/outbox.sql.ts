import { boundedGroups } from '../../pagination/bounded-groups.js';
import { COUNTED_ITEMS } from '../../pagination/page.js';

// Locked, so that the relay cannot hand the job over before this unit commits: the job would not
// see what it did.
const WAITING = `
    SELECT id FROM outbox
     WHERE queue = $1 AND name = $2 AND payload = $3::jsonb
       AND enqueued_at IS NULL AND failed_at IS NULL
     LIMIT 1 FOR UPDATE SKIP LOCKED`;

export const INSERT_UNLESS_WAITING = `
  WITH waiting AS (${WAITING})
  INSERT INTO outbox (queue, name, payload, run_at, traceparent)
  SELECT $1, $2, $3::jsonb, now() + $4 * interval '1 ms', $5
   WHERE NOT EXISTS (SELECT FROM waiting)`;

/**
 * Waits for a worker that has the job: PostgreSQL looks at the row again when its lock is free. The last condition holds always,
 * and lets PostgreSQL use the two indexes of jobs that wait and of those in the queue.
 */
export const TAKE_OVER = `
  DELETE FROM outbox WHERE id = (
    SELECT id FROM outbox
     WHERE queue = $1 AND name = $2 AND payload = $3::jsonb AND failed_at IS NULL
       AND (enqueued_at IS NULL OR enqueued_at IS NOT NULL)
     LIMIT 1 FOR UPDATE)
  RETURNING id`;

export const INSERT = `
  INSERT INTO outbox (queue, name, payload, run_at, fairness_key, traceparent)
  SELECT queue, name, payload::jsonb, now() + delay_ms * interval '1 ms', fairness_key, $6
  FROM unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::text[])
    AS job (queue, name, payload, delay_ms, fairness_key)
  RETURNING id`;

export const FIND_UNFINISHED = 'SELECT FROM outbox WHERE id = $1 AND failed_at IS NULL';

/**
 * Deletes the rows of jobs that have succeeded. In the statement that writes their effects, it confirms them at the
 * same time.
 * @param ids parameter with the sorted IDs, so that two workers that confirm the same jobs cannot deadlock
 */
export const confirmJobs = (ids: string): string =>
  `DELETE FROM outbox WHERE id = ANY(${ids}::bigint[])`;

/**
 * The state of a job: not due yet, waiting to be handed to the queue, in the queue or with a worker, or
 * failed permanently.
 */
export type JobState = 'delayed' | 'waiting' | 'queued' | 'failed';

/** The state of a row of the outbox. */
export const JOB_STATE = `
  CASE WHEN failed_at IS NOT NULL THEN 'failed'
       WHEN enqueued_at IS NOT NULL THEN 'queued'
       WHEN run_at > now() THEN 'delayed'
       ELSE 'waiting' END`;

/** The jobs of a state, by an index that has those of each queue in the order of a time. */
const ofState = (state: JobState, rows: Omit<Parameters<typeof boundedGroups>[0], 'table'>) => `
  SELECT queue, '${state}' AS state, counted, earliest
    FROM (${boundedGroups({ table: 'outbox', ...rows })}) AS of_state`;

const PENDING = {
  where: 'enqueued_at IS NULL AND failed_at IS NULL',
  by: ['queue', 'name'],
} as const;

const STATES = [
  ofState('delayed', { ...PENDING, time: { column: 'run_at', after: 'now()' } }),
  ofState('waiting', { ...PENDING, time: { column: 'run_at', until: 'now()' } }),
  ofState('queued', {
    where: 'enqueued_at IS NOT NULL AND failed_at IS NULL',
    by: ['queue'],
    time: { column: 'run_at' },
  }),
  ofState('failed', {
    where: 'failed_at IS NOT NULL',
    by: ['queue'],
    time: { column: 'failed_at' },
  }),
];

const BOUND = String(COUNTED_ITEMS);

// The outbox holds every job until it is done, wherever the queues are.
export const COUNT_JOBS = `
  SELECT queue, state, least(sum(counted), ${BOUND})::int AS count,
         sum(counted) > ${BOUND} AS "hasMore",
         greatest(0, extract(epoch FROM now() - min(earliest)))::float8 AS "oldestSeconds"
    FROM (${STATES.join('\n  UNION ALL')}) AS job
   WHERE counted > 0
   GROUP BY queue, state ORDER BY queue, state`;
