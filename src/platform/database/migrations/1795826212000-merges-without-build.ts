import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether a merge request that waits to be merged waits for other checks than a build that nobody has begun. */
export class MergesWithoutBuild1795826212000 implements MigrationInterface {
  readonly name = 'MergesWithoutBuild1795826212000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE merge_requests ADD merges_without_build boolean NOT NULL DEFAULT false',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE merge_requests DROP merges_without_build');
  }
}
