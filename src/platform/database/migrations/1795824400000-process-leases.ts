import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Leases of processes, and the owners of push intents. Processes of older versions beside this one have no lease, and
 * their intents no owner.
 */
export class ProcessLeases1795824400000 implements MigrationInterface {
  readonly name = 'ProcessLeases1795824400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(LEASES);
    await runner.query(OWNERS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE push_intents
        DROP COLUMN machine, DROP COLUMN process_id, DROP COLUMN epoch, DROP COLUMN is_guarded`);
    await runner.query(`
      ALTER TABLE processes
        DROP COLUMN machine, DROP COLUMN epoch, DROP COLUMN lease_ms, DROP COLUMN fenced_at`);
  }
}

const LEASES = `
  ALTER TABLE processes
    ADD COLUMN machine varchar(100),
    ADD COLUMN epoch integer NOT NULL DEFAULT 0,
    ADD COLUMN lease_ms integer,
    ADD COLUMN fenced_at timestamptz(3)`;

const OWNERS = `
  ALTER TABLE push_intents
    ADD COLUMN machine varchar(100),
    ADD COLUMN process_id uuid,
    ADD COLUMN epoch integer,
    ADD COLUMN is_guarded boolean NOT NULL DEFAULT false`;
