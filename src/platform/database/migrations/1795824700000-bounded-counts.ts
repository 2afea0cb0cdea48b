import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Jobs and disabled hooks are counted by indexes. */
export class BoundedCounts1795824700000 implements MigrationInterface {
  readonly name = 'BoundedCounts1795824700000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [WAITING, QUEUED, FAILED, DISABLED]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX hooks_disabled_idx, outbox_failed_queue_idx, outbox_queued_idx');
    await runner.query(`
      DROP INDEX outbox_waiting_idx;
      CREATE INDEX outbox_waiting_idx ON outbox (queue, name)
        WHERE enqueued_at IS NULL AND failed_at IS NULL`);
  }
}

const WAITING = `
  DROP INDEX outbox_waiting_idx;
  CREATE INDEX outbox_waiting_idx ON outbox (queue, name, run_at)
    WHERE enqueued_at IS NULL AND failed_at IS NULL`;

const QUEUED = `
  CREATE INDEX outbox_queued_idx ON outbox (queue, run_at)
    WHERE enqueued_at IS NOT NULL AND failed_at IS NULL`;

const FAILED = `
  CREATE INDEX outbox_failed_queue_idx ON outbox (queue, failed_at, id) WHERE failed_at IS NOT NULL`;

const DISABLED = `
  CREATE INDEX hooks_disabled_idx ON hooks (disabled_reason) WHERE disabled_at IS NOT NULL`;
