import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The log of deliveries, by what it is searched for. */
export class DeliveryLog1795737600001 implements MigrationInterface {
  readonly name = 'DeliveryLog1795737600001';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [KIND, INDEXES]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX hook_deliveries_cause_idx, hook_deliveries_undelivered_idx');
    await runner.query('ALTER TABLE hook_deliveries DROP COLUMN kind');
  }
}

// That of the event, so that a list of one kind reads no other rows.
const KIND = `
  ALTER TABLE hook_deliveries ADD COLUMN kind varchar(32);
  UPDATE hook_deliveries d SET kind = e.kind FROM hook_events e WHERE e.id = d.event_id;
  ALTER TABLE hook_deliveries ALTER COLUMN kind SET NOT NULL`;

const INDEXES = `
  CREATE INDEX hook_deliveries_kind_idx ON hook_deliveries (hook_id, kind, id);
  CREATE INDEX hook_deliveries_undelivered_idx ON hook_deliveries (hook_id, state, id)
    WHERE state <> 'delivered';
  CREATE INDEX hook_deliveries_cause_idx ON hook_deliveries (cause, state) WHERE cause IS NOT NULL`;
