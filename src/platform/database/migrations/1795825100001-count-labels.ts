import type { MigrationInterface, QueryRunner } from 'typeorm';
import { reportMigrationProgress } from '../migration-progress.js';

/** Labels that one transaction counts for. */
const CHUNK = 1_000;

/**
 * Counts the links that were there before the triggers, of some labels at a time. The labels are locked against others who
 * count, which neither those who use them nor those who read them wait for. It may begin again after a failure.
 */
export class CountLabels1795825100001 implements MigrationInterface {
  readonly name = 'CountLabels1795825100001';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const [labels] = (await runner.query(LABELS)) as { count: number }[];
    let done = 0;
    for (let last: number | null = 0; last !== null;) {
      const ids = await countNext(runner, last);
      done += ids.length;
      reportMigrationProgress(runner, done, labels?.count ?? 0);
      last = ids.length < CHUNK ? null : (ids.at(-1) ?? null);
    }
  }

  /** The counts go with their tables. */
  down(): Promise<void> {
    return Promise.resolve();
  }
}

/** @returns the labels that it has counted for */
async function countNext(runner: QueryRunner, last: number): Promise<number[]> {
  await runner.startTransaction();
  try {
    const rows = (await runner.query(LOCK_NEXT, [last])) as { id: number }[];
    const ids = rows.map(({ id }) => id);
    // A second statement sees what others have counted until it had the lock.
    await runner.query(COUNT, [ids]);
    await runner.commitTransaction();
    return ids;
  } catch (error) {
    await runner.rollbackTransaction();
    throw error;
  }
}

const LABELS = 'SELECT count(*)::int AS count FROM labels';

const LOCK_NEXT = `
  SELECT id FROM labels WHERE id > $1 ORDER BY id LIMIT ${String(CHUNK)} FOR NO KEY UPDATE`;

/** What counts lack: the links, less what is kept and what waits to be added. */
const DIFFERENCES = `
  SELECT label_id, target_type, sum(opened)::int AS opened, sum(opened_confidential)::int AS opened_confidential,
         sum(closed)::int AS closed, sum(closed_confidential)::int AS closed_confidential
    FROM (
      SELECT label_id, target_type, is_open::int AS opened, (is_open AND confidential)::int AS opened_confidential,
             is_closed::int AS closed, (is_closed AND confidential)::int AS closed_confidential
        FROM label_links,
             LATERAL (SELECT state IN ('opened', 'reopened') AS is_open, state = 'closed' AS is_closed) s
       UNION ALL
      SELECT label_id, target_type, -opened, -opened_confidential, -closed, -closed_confidential FROM label_counts
       UNION ALL
      SELECT label_id, target_type, -opened, -opened_confidential, -closed, -closed_confidential
        FROM label_count_changes
    ) together
   WHERE label_id = ANY($1::int[]) GROUP BY 1, 2`;

const COUNT = `
  INSERT INTO label_counts AS c (label_id, target_type, opened, opened_confidential, closed, closed_confidential)
  SELECT l.id, t.type, coalesce(d.opened, 0), coalesce(d.opened_confidential, 0), coalesce(d.closed, 0),
         coalesce(d.closed_confidential, 0)
    FROM labels l CROSS JOIN (VALUES ('Issue'), ('MergeRequest')) AS t (type)
    LEFT JOIN (${DIFFERENCES}) d ON (d.label_id, d.target_type) = (l.id, t.type)
   WHERE l.id = ANY($1::int[])
   ORDER BY l.id, t.type
  ON CONFLICT (label_id, target_type) DO UPDATE
     SET opened = c.opened + excluded.opened,
         opened_confidential = c.opened_confidential + excluded.opened_confidential,
         closed = c.closed + excluded.closed,
         closed_confidential = c.closed_confidential + excluded.closed_confidential`;
