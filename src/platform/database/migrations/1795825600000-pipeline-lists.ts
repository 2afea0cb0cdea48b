import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Indexes the statuses of a project, and those of each of its refs, in the order in which pipelines are listed. The
 * expression keeps look-ups by commit from these indexes, which without statistics seem as good as theirs. Not built
 * concurrently: that would wait for each process that waits for the lock of migrations.
 */
export class PipelineLists1795825600000 implements MigrationInterface {
  readonly name = 'PipelineLists1795825600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX commit_statuses_project_idx ON commit_statuses ((project_id::bigint), id);
      CREATE INDEX commit_statuses_ref_idx ON commit_statuses ((project_id::bigint), ref, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX commit_statuses_ref_idx, commit_statuses_project_idx');
  }
}
