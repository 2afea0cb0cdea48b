import { Column, CreateDateColumn, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/**
 * A job that was committed together with what causes it. The row stays until the job's handler has
 * succeeded; it is the only record of the job that must not get lost, the queue holds a reference.
 */
@Entity('outbox')
@Index('outbox_due_idx', ['runAt', 'id'], {
  where: 'enqueued_at IS NULL AND failed_at IS NULL AND fairness_key IS NULL',
})
@Index('outbox_fair_idx', ['queue', 'fairnessKey', 'runAt', 'id'], {
  where: 'enqueued_at IS NULL AND failed_at IS NULL AND fairness_key IS NOT NULL',
})
@Index('outbox_waiting_idx', ['queue', 'name', 'runAt'], {
  where: 'enqueued_at IS NULL AND failed_at IS NULL',
})
@Index('outbox_queued_idx', ['queue', 'runAt'], {
  where: 'enqueued_at IS NOT NULL AND failed_at IS NULL',
})
@Index('outbox_enqueued_idx', ['enqueuedAt'], {
  where: 'enqueued_at IS NOT NULL AND failed_at IS NULL',
})
@Index('outbox_failed_idx', ['failedAt'], { where: 'failed_at IS NOT NULL' })
@Index('outbox_failed_queue_idx', ['queue', 'failedAt', 'id'], { where: 'failed_at IS NOT NULL' })
export class OutboxJob {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', primaryKeyConstraintName: 'outbox_pkey' })
  id!: string;

  @Column({ type: 'varchar', length: 64 })
  queue!: string;

  @Column({ type: 'varchar', length: 64 })
  name!: string;

  @Column({ type: 'jsonb' })
  payload!: object;

  /** Not handed to the queue before this moment: a delay, or the wait before the next attempt. */
  @Column({ type: 'timestamptz', default: () => 'now()' })
  runAt!: Date;

  /** What the job counts for where the queue is shared out fairly; null for other jobs. */
  @Column({ type: 'varchar', length: 64, nullable: true })
  fairnessKey!: string | null;

  /** Counts how often the job was given back to the relay; part of its id in the queue. */
  @Column({ type: 'int', default: 0 })
  round!: number;

  /** Attempts that failed. */
  @Column({ type: 'int', default: 0 })
  attempts!: number;

  /** Why the last attempt failed. */
  @Column({ type: 'text', nullable: true })
  error!: string | null;

  /** The span that caused the job, as the header `traceparent` names it; null where nothing was traced. */
  @Column({ type: 'varchar', length: 55, nullable: true })
  traceparent!: string | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  /** When the job was last known to be in the queue; null while the relay has to hand it over. */
  @Column({ type: 'timestamptz', nullable: true })
  enqueuedAt!: Date | null;

  /** When the job failed permanently; such rows are kept for inspection and deleted later. */
  @Column({ type: 'timestamptz', nullable: true })
  failedAt!: Date | null;
}
