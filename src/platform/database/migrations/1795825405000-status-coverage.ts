import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The test coverage that a build server reports with a status of a commit, in percent. */
export class StatusCoverage1795825405000 implements MigrationInterface {
  readonly name = 'StatusCoverage1795825405000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE commit_statuses ADD coverage double precision');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE commit_statuses DROP coverage');
  }
}
