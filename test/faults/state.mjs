// What the database and the repositories know, read past the service.
import { withDatabase } from '../crash/database.mjs';
import { until } from '../crash/processes.mjs';
import { findRepositories, readRefs } from '../crash/repositories.mjs';

const POLL_MS = 250;

const UNDONE = `
  SELECT (SELECT count(*)::int FROM push_intents) AS pushes,
         (SELECT count(*)::int FROM outbox WHERE queue LIKE 'hooks%' AND failed_at IS NULL) AS jobs,
         (SELECT count(*)::int FROM hook_deliveries WHERE state = 'pending') AS deliveries`;

const MERGED = `SELECT title FROM merge_requests WHERE state = 'merged'`;

/** Waits until pushes are recorded and deliveries made; what is left after that is wrong. */
export function settled(service, limitMs) {
  return withDatabase(service, (rows) =>
    until(
      async () => {
        const [{ pushes, jobs, deliveries }] = await rows(UNDONE);
        return pushes + jobs + deliveries === 0;
      },
      limitMs,
      POLL_MS,
    ),
  );
}

/** Everything the checks look at. */
export function readState(service) {
  return withDatabase(service, async (rows) => ({
    undone: (await rows(UNDONE))[0],
    jobs: await rows(`SELECT * FROM outbox WHERE queue LIKE 'hooks%' ORDER BY id`),
    deliveries: await rows(
      `SELECT d.id, d.hook_id AS "hookId", d.event_id AS "eventId", d.message_id AS "messageId",
              d.state, d.turn, d.attempts, d.cause, d.message,
              encode(sha256(convert_to(e.body, 'UTF8')), 'hex') AS body
         FROM hook_deliveries d JOIN hook_events e ON e.id = d.event_id ORDER BY d.id`,
    ),
    untold: await rows(
      `SELECT id, kind FROM hook_events e
        WHERE NOT EXISTS (SELECT FROM hook_deliveries d WHERE d.event_id = e.id)`,
    ),
    written: new Set([
      ...(await rows('SELECT title FROM issues')).map(({ title }) => `issue ${title}`),
      ...(await rows(`SELECT path FROM namespaces`)).map(({ path }) => `group ${path}`),
      ...(await rows('SELECT title FROM merge_requests')).map(({ title }) => `request ${title}`),
      ...(await rows(MERGED)).map(({ title }) => `merge ${title}`),
      ...(await branches(service)),
    ]),
  }));
}

async function branches({ dataDir }) {
  const { byId } = await findRepositories(dataDir);
  const names = [];
  for (const { path } of byId.values()) {
    for (const ref of (await readRefs(path)).keys()) {
      if (ref.startsWith('refs/heads/')) names.push(`branch ${ref.slice('refs/heads/'.length)}`);
    }
  }
  return names;
}
