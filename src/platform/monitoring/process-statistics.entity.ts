import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ProcessRole } from '../cluster/index.js';

/** What one process did in five minutes; kept for a day, for charts. */
@Entity('process_statistics')
export class ProcessStatistics {
  /** When the five minutes began; a process that starts or ends amid them describes its part. */
  @PrimaryColumn({
    type: 'timestamptz',
    precision: 3,
    primaryKeyConstraintName: 'process_statistics_pkey',
  })
  periodStart!: Date;

  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'process_statistics_pkey' })
  processId!: string;

  @Column({ type: 'varchar', length: 8 })
  role!: ProcessRole;

  @Column({ type: 'int' })
  requests!: number;

  /** Requests answered with 5xx. */
  @Column({ type: 'int' })
  serverErrors!: number;

  /** Of the requests; null without any. */
  @Column({ type: 'real', nullable: true })
  meanDurationMs!: number | null;

  /** The 95th percentile, estimated from the histogram; null without requests. */
  @Column({ type: 'real', nullable: true })
  slowDurationMs!: number | null;

  /** The 99th percentile. */
  @Column({ type: 'real' })
  eventLoopDelayMs!: number;

  /** Resident memory at the end. */
  @Column({ type: 'bigint' })
  memoryBytes!: string;

  /** Attempts of jobs that succeeded. */
  @Column({ type: 'int' })
  jobsDone!: number;

  /** Attempts of jobs that failed, be they repeated or not. */
  @Column({ type: 'int' })
  jobsFailed!: number;

  @Column({ type: 'int' })
  deliveriesDone!: number;

  /** Attempts of deliveries that failed. */
  @Column({ type: 'int' })
  deliveriesFailed!: number;
}
