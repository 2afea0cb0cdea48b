/** About as long as the payload of an issue. */
export const FACTS = JSON.stringify({
  object_kind: 'issue',
  user: { name: 'Ada Ash', username: 'ada', avatar_url: null },
  object_attributes: {
    id: 1,
    title: 'An issue',
    description: 'Lorem ipsum dolor sit. '.repeat(80),
  },
});

// As src/modules/hooks/deliveries/deliveries.repository.ts and src/platform/queue/outbox/outbox.sql.ts write them.
const QUEUE_DELIVERIES = `
  WITH events AS (
    INSERT INTO hook_events (kind, facts, body)
    SELECT 'issue', '{}', $2::text FROM generate_series(1, $3) RETURNING id
  ), queued AS (
    INSERT INTO hook_deliveries (hook_id, event_id, kind, message_id)
    SELECT $1, events.id, 'issue', 'msg_' || replace(gen_random_uuid()::text, '-', '') FROM events
    RETURNING id
  )
  INSERT INTO outbox (queue, name, payload, fairness_key)
  SELECT 'hooks', 'deliver', jsonb_build_object('deliveryId', queued.id::text, 'turn', 0),
         'hook ' || $1::int
    FROM queued ORDER BY queued.id`;

/** A queue without a worker, so that nothing but the relay has to do with it. */
export const IDLE_QUEUE = 'bench';

const QUEUE_IDLE_JOBS = `
  INSERT INTO outbox (queue, name, payload)
  SELECT $1, 'nothing', '{}' FROM generate_series(1, $2)`;

const RELAYED = `
  SELECT count(*) FILTER (WHERE enqueued_at IS NULL)::int AS waiting,
         extract(epoch FROM max(enqueued_at) - $2::timestamptz)::float8 AS seconds
    FROM outbox WHERE queue = $1`;

/**
 * Queues deliveries of as many events to a hook; they are on their way when it resolves.
 * @param {import('../database.mjs').Database} database
 */
export function queueDeliveries(database, hookId, count) {
  return database.rows(QUEUE_DELIVERIES, [hookId, FACTS, count]);
}

/**
 * Adds jobs that nobody will run.
 * @returns {Promise<string>} when they were committed, by the database's clock
 */
export async function queueIdleJobs(database, count) {
  await database.rows(QUEUE_IDLE_JOBS, [IDLE_QUEUE, count]);
  const [{ moment }] = await database.rows('SELECT clock_timestamp()::text AS moment');
  return moment;
}

/** How many of those jobs are still to be handed over, and how long after `moment` the last was. */
export async function relayed(database, moment) {
  const [progress] = await database.rows(RELAYED, [IDLE_QUEUE, moment]);
  return progress;
}

export function forgetIdleJobs(database) {
  return database.rows('DELETE FROM outbox WHERE queue = $1', [IDLE_QUEUE]);
}

/** Jobs that the service has not confirmed. */
export async function rowsLeft(database) {
  const [{ count }] = await database.rows('SELECT count(*)::int AS count FROM outbox');
  return count;
}
