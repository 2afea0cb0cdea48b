import type { MigrationInterface, QueryRunner } from 'typeorm';
import { reportMigrationProgress } from '../migration-progress.js';

/** IDs that one transaction looks at. */
const CHUNK = 1_000;

const TABLES = ['issues', 'merge_requests'] as const;

/**
 * Fills the assignees of the issues and merge requests that were there before their lists, some rows at a time. It may begin
 * again after a failure.
 */
export class FillAssignees1795825720000 implements MigrationInterface {
  readonly name = 'FillAssignees1795825720000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      // Rows with higher IDs have been inserted since: the triggers fill theirs.
      const [newest] = (await runner.query(`SELECT max(id) AS id FROM ${table}`)) as {
        id: number;
      }[];
      const last = newest?.id ?? 0;
      for (let done = 0; done < last; done += CHUNK) {
        await runner.query(FILL(table), [done, done + CHUNK]);
        reportMigrationProgress(runner, Math.min(done + CHUNK, last), last);
      }
    }
  }

  /** The columns go by themselves. */
  down(): Promise<void> {
    return Promise.resolve();
  }
}

/** Locks in ID order, as others do who lock several (docs/lock-order.md). @param $1 after this ID @param $2 up to this one */
const FILL = (table: string): string => `
  UPDATE ${table} SET assignee_ids = ARRAY[assignee_id]
   WHERE id = ANY(ARRAY(
     SELECT id FROM ${table}
      WHERE id > $1 AND id <= $2 AND assignee_id IS NOT NULL AND assignee_ids = '{}'
      ORDER BY id FOR NO KEY UPDATE))
     AND assignee_id IS NOT NULL AND assignee_ids = '{}'`;
