import type { MigrationInterface, QueryRunner } from 'typeorm';
import { reportMigrationProgress } from '../migration-progress.js';

/** Rows that one transaction changes. */
const CHUNK = 1_000;

/**
 * Has the trigger fill `pushed_ref` of the events that were there before it, some rows at a time. It may begin again after
 * a failure.
 */
export class FillPushedRefs1795825300001 implements MigrationInterface {
  readonly name = 'FillPushedRefs1795825300001';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const [events] = (await runner.query(COUNT)) as { count: number }[];
    let done = 0;
    for (let last: string | null = '0'; last !== null;) {
      const [filled] = (await runner.query(FILL_NEXT, [last])) as { count: number; last: string }[];
      done += filled?.count ?? 0;
      reportMigrationProgress(runner, done, events?.count ?? 0);
      last = filled?.count === CHUNK ? filled.last : null;
    }
  }

  /** The column goes by itself. */
  down(): Promise<void> {
    return Promise.resolve();
  }
}

const COUNT = `
  SELECT count(*)::int AS count FROM events WHERE data IS NOT NULL AND pushed_ref IS NULL`;

const FILL_NEXT = `
  WITH next AS (
    SELECT id FROM events WHERE id > $1 AND data IS NOT NULL AND pushed_ref IS NULL
     ORDER BY id LIMIT ${String(CHUNK)} FOR NO KEY UPDATE
  ), filled AS (
    UPDATE events SET data = events.data FROM next WHERE events.id = next.id RETURNING events.id)
  SELECT count(*)::int AS count, max(id)::text AS last FROM filled`;
