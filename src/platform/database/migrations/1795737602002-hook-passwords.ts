import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Passwords of hooks' addresses move out of the clear text. The key is not the database's, so the rows
 * that are there are sealed by the job `seal-hook-passwords`, as are those that an older version beside
 * still writes. Taking this back loses the passwords that were sealed.
 */
export class HookPasswords1795737602002 implements MigrationInterface {
  readonly name = 'HookPasswords1795737602002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE hooks ADD COLUMN password_sealed text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE hooks DROP COLUMN password_sealed');
  }
}
