import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Counters of attempts, shared by all processes; read and written by the rate limiter alone. */
@Entity('rate_limits')
export class RateLimit {
  @PrimaryColumn({ type: 'varchar', length: 255, primaryKeyConstraintName: 'rate_limits_pkey' })
  key!: string;

  @Column({ type: 'int', default: 0 })
  points!: number;

  /** Milliseconds since 1970. */
  @Column({ type: 'bigint', nullable: true })
  expire!: string | null;
}
