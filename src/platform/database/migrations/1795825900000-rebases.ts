import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The rebase of a merge request: the job in the outbox that makes it, and why the last one failed. */
export class Rebases1795825900000 implements MigrationInterface {
  readonly name = 'Rebases1795825900000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE merge_requests ADD rebase_problem varchar(32), ADD rebase_job_id bigint',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE merge_requests DROP rebase_problem, DROP rebase_job_id');
  }
}
