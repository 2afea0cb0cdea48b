import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What a process of the service does: serve, run jobs, or both. */
export type ProcessRole = 'all' | 'api' | 'worker';

/**
 * A process of the service, as it describes itself every few seconds, and its lease (docs/decisions/0060-leases.md). It
 * deletes its row when it ends; the row of one that was killed expires.
 */
@Entity('processes')
export class RunningProcess {
  /** Made when the process starts. */
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'processes_pkey' })
  id!: string;

  @Column({ type: 'varchar', length: 8 })
  role!: ProcessRole;

  @Column({ type: 'varchar', length: 64 })
  version!: string;

  @Column({ type: 'varchar', length: 255 })
  host!: string;

  @Column({ type: 'int' })
  pid!: number;

  /** By the clock of its host. */
  @Column({ type: 'timestamptz', precision: 3 })
  startedAt!: Date;

  /** By the clock of the database. */
  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  renewedAt!: Date;

  /** Equal for processes that see each other's process IDs; null for one of an older version. */
  @Column({ type: 'varchar', length: 100, nullable: true })
  machine!: string | null;

  /** Raised when others take over what the process has: it no longer owns what it had in earlier epochs. */
  @Column({ type: 'int', default: 0 })
  epoch!: number;

  /** How long it may go without renewing its row before others take over; null for one of an older version. */
  @Column({ type: 'int', nullable: true })
  leaseMs!: number | null;

  /** When its epoch was last raised by another process. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  fencedAt!: Date | null;

  /** Resident memory. */
  @Column({ type: 'bigint' })
  memoryBytes!: string;

  /** The 99th percentile since the row was renewed before, in milliseconds. */
  @Column({ type: 'real' })
  eventLoopDelayMs!: number;

  /** Connections to the database that statements and transactions hold. */
  @Column({ type: 'int' })
  connectionsUsed!: number;

  /** Statements and transactions that wait for a connection. */
  @Column({ type: 'int' })
  connectionsWaiting!: number;

  /** Connections that the process may open. */
  @Column({ type: 'int' })
  connectionsLimit!: number;
}
