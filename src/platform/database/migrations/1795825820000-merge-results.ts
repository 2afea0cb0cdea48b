import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `result` of an attempt says what it makes of its merge request; without one, as older versions write it, that is a merge
 * commit.
 */
export class MergeResults1795825820000 implements MigrationInterface {
  readonly name = 'MergeResults1795825820000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE merge_attempts ADD result jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE merge_attempts DROP result');
  }
}
