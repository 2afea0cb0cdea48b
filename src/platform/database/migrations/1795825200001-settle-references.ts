import type { MigrationInterface, QueryRunner } from 'typeorm';
import { reportMigrationProgress } from '../migration-progress.js';

/** Rows that one transaction changes. */
const CHUNK = 1_000;

/**
 * Has the triggers settle the references of the issues and notes that were there before them, some rows at a time. It may
 * begin again after a failure.
 */
export class SettleReferences1795825200001 implements MigrationInterface {
  readonly name = 'SettleReferences1795825200001';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const [moved] = (await runner.query(COUNT)) as { count: number }[];
    let done = 0;
    for (const table of ['issues', 'notes']) {
      for (let last: number | null = 0; last !== null;) {
        const ids = await settleNext(runner, table, last);
        done += ids.length;
        reportMigrationProgress(runner, done, moved?.count ?? 0);
        last = ids.length < CHUNK ? null : Math.max(...ids);
      }
    }
  }

  /** The texts stay as they are. */
  down(): Promise<void> {
    return Promise.resolve();
  }
}

/** @returns the rows that it has changed, none with an ID up to `last` */
async function settleNext(runner: QueryRunner, table: string, last: number): Promise<number[]> {
  const rows = (await runner.query(SETTLE_NEXT(table), [last])) as { id: number }[];
  return rows.map(({ id }) => id);
}

const COUNT = `
  SELECT ((SELECT count(*) FROM issues WHERE moved_references IS NOT NULL)
        + (SELECT count(*) FROM notes WHERE moved_references IS NOT NULL))::int AS count`;

const SETTLE_NEXT = (table: string): string => `
  WITH next AS (
    SELECT id FROM ${table} WHERE id > $1 AND moved_references IS NOT NULL ORDER BY id LIMIT ${String(CHUNK)}
       FOR NO KEY UPDATE
  ), changed AS (
    UPDATE ${table} t SET moved_references = t.moved_references FROM next WHERE t.id = next.id RETURNING t.id)
  SELECT id FROM changed`;
