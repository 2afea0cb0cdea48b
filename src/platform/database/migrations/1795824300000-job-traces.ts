import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Jobs know the span that caused them, so that they belong to its trace. */
export class JobTraces1795824300000 implements MigrationInterface {
  readonly name = 'JobTraces1795824300000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE outbox ADD COLUMN traceparent varchar(55)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE outbox DROP COLUMN traceparent`);
  }
}
