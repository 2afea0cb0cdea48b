import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Whether clients said what is to become of a source branch: "no" is not the same as nothing. An older
 * version beside leaves the new columns alone; what it writes counts as given where it is true.
 */
export class RemovalWishes1795737602001 implements MigrationInterface {
  readonly name = 'RemovalWishes1795737602001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE merge_requests
        ADD COLUMN should_remove_given boolean NOT NULL DEFAULT false,
        ADD COLUMN force_remove_given boolean NOT NULL DEFAULT false`);
    await runner.query(`
      ALTER TABLE merge_attempts ADD COLUMN should_remove_given boolean NOT NULL DEFAULT false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE merge_attempts DROP COLUMN should_remove_given');
    await runner.query(`
      ALTER TABLE merge_requests DROP COLUMN should_remove_given, DROP COLUMN force_remove_given`);
  }
}
