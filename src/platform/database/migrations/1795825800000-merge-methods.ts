import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How a project merges, and whether its merges squash. The defaults are what was done before. */
export class MergeMethods1795825800000 implements MigrationInterface {
  readonly name = 'MergeMethods1795825800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE projects
        ADD merge_method varchar(16) NOT NULL DEFAULT 'merge',
        ADD squash_option varchar(16) NOT NULL DEFAULT 'default_off'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE projects DROP merge_method, DROP squash_option');
  }
}
