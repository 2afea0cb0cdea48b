import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The seconds that are estimated for issues and merge requests, and spent on them. */
export class TimeTracking1795826223000 implements MigrationInterface {
  readonly name = 'TimeTracking1795826223000';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['issues', 'merge_requests']) {
      await runner.query(`
        ALTER TABLE ${table}
          ADD time_estimate int NOT NULL DEFAULT 0,
          ADD total_time_spent int NOT NULL DEFAULT 0`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['issues', 'merge_requests']) {
      await runner.query(`ALTER TABLE ${table} DROP time_estimate, DROP total_time_spent`);
    }
  }
}
