import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Issues and merge requests whose discussions are locked. Null: that was never set. */
export class LockedDiscussions1795826800000 implements MigrationInterface {
  readonly name = 'LockedDiscussions1795826800000';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['issues', 'merge_requests']) {
      await runner.query(`ALTER TABLE ${table} ADD discussion_locked boolean`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['issues', 'merge_requests']) {
      await runner.query(`ALTER TABLE ${table} DROP discussion_locked`);
    }
  }
}
