import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The IDs of uploads, which have no rows: version 4 answers one for each. The sequence goes with a table, which is how a restore clears
 * a database.
 */
export class UploadIds1795826100000 implements MigrationInterface {
  readonly name = 'UploadIds1795826100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE SEQUENCE upload_ids AS integer OWNED BY project_sizes.uploads_bytes',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SEQUENCE upload_ids');
  }
}
