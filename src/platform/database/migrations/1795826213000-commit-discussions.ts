import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When comments on commits were changed, and both numbers of the lines that they are on. */
export class CommitDiscussions1795826213000 implements MigrationInterface {
  readonly name = 'CommitDiscussions1795826213000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE commit_comments ADD updated_at timestamptz(3), ADD position jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE commit_comments DROP updated_at, DROP position');
  }
}
