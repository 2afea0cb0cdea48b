// What the rounds know from the database: read past the service, over a connection of their own.
import pg from 'pg';
import { until } from './processes.mjs';

const CONNECT_MS = 30_000;

/** Notes when and in which transaction each event and each job came into being, for ever. */
const AUDIT = `
  CREATE SCHEMA IF NOT EXISTS crash_rounds;
  CREATE TABLE IF NOT EXISTS crash_rounds.jobs (
    id bigint, xid xid8, name text, payload jsonb, handed_over timestamptz);
  CREATE TABLE IF NOT EXISTS crash_rounds.events (
    xid xid8, project_id int, pushed_ref jsonb, at timestamptz);
  CREATE OR REPLACE FUNCTION crash_rounds.note_job() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      INSERT INTO crash_rounds.jobs VALUES (NEW.id, pg_current_xact_id(), NEW.name, NEW.payload);
    ELSIF NEW.enqueued_at IS NOT NULL THEN
      UPDATE crash_rounds.jobs SET handed_over = NEW.enqueued_at WHERE id = NEW.id;
    END IF;
    RETURN NULL;
  END $$;
  CREATE OR REPLACE FUNCTION crash_rounds.note_event() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    INSERT INTO crash_rounds.events
      VALUES (pg_current_xact_id(), NEW.project_id, NEW.pushed_ref, clock_timestamp());
    RETURN NULL;
  END $$;
  CREATE OR REPLACE TRIGGER crash_rounds AFTER INSERT OR UPDATE ON outbox
    FOR EACH ROW EXECUTE FUNCTION crash_rounds.note_job();
  CREATE OR REPLACE TRIGGER crash_rounds AFTER INSERT ON events
    FOR EACH ROW EXECUTE FUNCTION crash_rounds.note_event()`;

/** Runs work with a connection; waits while the server is starting. */
export async function withDatabase(service, work) {
  let failure;
  const client = await until(async () => {
    const url = await service.databaseUrl();
    if (url === undefined) return null;
    const made = new pg.Client({ connectionString: url });
    // A server that is killed meanwhile is told by the statement that fails.
    made.on('error', () => undefined);
    return made.connect().then(
      () => made,
      (error) => {
        failure = error;
        return null;
      },
    );
  }, CONNECT_MS);
  if (!client) throw new Error('The database cannot be reached', { cause: failure });
  try {
    return await work(async (sql, parameters) => (await client.query(sql, parameters)).rows);
  } finally {
    await client.end().catch(() => undefined);
  }
}

export const installAudit = (service) => withDatabase(service, (rows) => rows(AUDIT));

/** Resolves when a push stands between its intent and its record, or after `limitMs`. */
export async function untilIntent(service, limitMs) {
  await withDatabase(service, (rows) =>
    until(async () => (await rows('SELECT 1 FROM push_intents')).length > 0, limitMs, 2),
  );
}

/** Everything the checks look at, as of one moment: jobs go on removing what was deleted. */
export async function readState(rows) {
  await rows('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const projects = await rows(
    `SELECT id, name, path, default_branch AS "defaultBranch", deleted_at IS NOT NULL AS deleted
       FROM projects ORDER BY id`,
  );
  const events = await rows(
    `SELECT id, project_id AS "projectId", pushed_ref AS "pushedRef" FROM events
      WHERE action IN ('pushed new', 'pushed to', 'deleted') AND pushed_ref IS NOT NULL ORDER BY id`,
  );
  const created = await rows(
    `SELECT project_id AS "projectId", count(*)::int AS count FROM events
      WHERE action = 'created' GROUP BY project_id`,
  );
  await rows('COMMIT');
  return { projects, events, created };
}

/**
 * Recorded pushes that no job follows, and deletions without theirs. A push has a job of its own, or
 * shares one that was waiting and so is handed over later.
 */
export async function missingConsequences(rows) {
  const pushes = await rows(
    `SELECT e.project_id AS "projectId", e.pushed_ref->>'ref' AS ref FROM crash_rounds.events e
      WHERE e.pushed_ref IS NOT NULL AND NOT EXISTS (
        SELECT FROM crash_rounds.jobs j WHERE j.name = 'tidy-repository'
           AND (j.payload->>'projectId')::int = e.project_id
           AND (j.xid = e.xid OR j.handed_over IS NULL OR j.handed_over > e.at))`,
  );
  const deletions = await rows(
    `SELECT id FROM projects WHERE deleted_at IS NOT NULL AND NOT EXISTS (
       SELECT FROM crash_rounds.jobs j WHERE j.name = 'purge-project'
          AND (j.payload->>'projectId')::int = projects.id)`,
  );
  return [
    ...pushes.map(({ projectId, ref }) => `project ${projectId}: no job follows from ${ref}`),
    ...deletions.map(({ id }) => `project ${id}: deleted, but no job removes it`),
  ];
}
