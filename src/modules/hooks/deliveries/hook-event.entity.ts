import { Column, CreateDateColumn, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { HookKind } from '../hook-kinds.js';

/** Something that happened and that at least one hook is told of. */
@Entity('hook_events')
@Index('hook_events_created_idx', ['createdAt'])
export class HookEvent {
  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    primaryKeyConstraintName: 'hook_events_pkey',
  })
  id!: string;

  @Column({ type: 'varchar', length: 32 })
  kind!: HookKind;

  /**
   * What the payload is made of, recorded in the transaction of the event itself; empty where that is
   * the payload already.
   */
  @Column({ type: 'json' })
  facts!: object;

  /** The payload as it is sent, the same bytes every time; that of pushes is null until the first attempt. */
  @Column({ type: 'text', nullable: true })
  body!: string | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
