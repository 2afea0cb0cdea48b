import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The processes of the instance, and what they did in the last day. Older versions beside this one do not register. */
export class Processes1795824100000 implements MigrationInterface {
  readonly name = 'Processes1795824100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(PROCESSES);
    await runner.query(STATISTICS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE process_statistics, processes');
  }
}

// A handful of rows that are written every 15 s: there is room for each new version beside the old one.
const PROCESSES = `
  CREATE TABLE processes (
    id uuid CONSTRAINT processes_pkey PRIMARY KEY,
    role varchar(8) NOT NULL,
    version varchar(64) NOT NULL,
    host varchar(255) NOT NULL,
    pid integer NOT NULL,
    started_at timestamptz(3) NOT NULL,
    renewed_at timestamptz(3) NOT NULL DEFAULT now(),
    memory_bytes bigint NOT NULL,
    event_loop_delay_ms real NOT NULL,
    connections_used integer NOT NULL,
    connections_waiting integer NOT NULL,
    connections_limit integer NOT NULL
  ) WITH (fillfactor = 50)`;

const STATISTICS = `
  CREATE TABLE process_statistics (
    period_start timestamptz(3) NOT NULL,
    process_id uuid NOT NULL,
    role varchar(8) NOT NULL,
    requests integer NOT NULL,
    server_errors integer NOT NULL,
    mean_duration_ms real,
    slow_duration_ms real,
    event_loop_delay_ms real NOT NULL,
    memory_bytes bigint NOT NULL,
    jobs_done integer NOT NULL,
    jobs_failed integer NOT NULL,
    deliveries_done integer NOT NULL,
    deliveries_failed integer NOT NULL,
    CONSTRAINT process_statistics_pkey PRIMARY KEY (period_start, process_id)
  )`;
