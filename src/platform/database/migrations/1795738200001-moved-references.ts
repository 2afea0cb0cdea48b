import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which references in a text a move has made full, so that they can be hidden from readers. */
export class MovedReferences1795738200001 implements MigrationInterface {
  readonly name = 'MovedReferences1795738200001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE issues ADD COLUMN moved_references jsonb');
    await runner.query('ALTER TABLE notes ADD COLUMN moved_references jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE notes DROP COLUMN moved_references');
    await runner.query('ALTER TABLE issues DROP COLUMN moved_references');
  }
}
