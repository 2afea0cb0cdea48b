import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many approvals the merge requests of a project need, and whether other commits end them. The defaults require none. */
export class Approvals1795826220000 implements MigrationInterface {
  readonly name = 'Approvals1795826220000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE projects
        ADD approvals_before_merge int NOT NULL DEFAULT 0,
        ADD reset_approvals_on_push boolean NOT NULL DEFAULT false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE projects DROP approvals_before_merge, DROP reset_approvals_on_push',
    );
  }
}
