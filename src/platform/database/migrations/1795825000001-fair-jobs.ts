import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a job counts for where a queue is shared out. The relay of an older version hands such jobs over like others. */
export class FairJobs1795825000001 implements MigrationInterface {
  readonly name = 'FairJobs1795825000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE outbox ADD COLUMN fairness_key varchar(64)');
    await runner.query(INDEXES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX outbox_due_idx;
      CREATE INDEX outbox_due_idx ON outbox (run_at, id)
        WHERE enqueued_at IS NULL AND failed_at IS NULL`);
    await runner.query('ALTER TABLE outbox DROP COLUMN fairness_key');
  }
}

// A backlog of jobs with a key does not stand in the way of the others.
const INDEXES = `
  DROP INDEX outbox_due_idx;
  CREATE INDEX outbox_due_idx ON outbox (run_at, id)
    WHERE enqueued_at IS NULL AND failed_at IS NULL AND fairness_key IS NULL;
  CREATE INDEX outbox_fair_idx ON outbox (queue, fairness_key, run_at, id)
    WHERE enqueued_at IS NULL AND failed_at IS NULL AND fairness_key IS NOT NULL`;
