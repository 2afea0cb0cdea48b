import { Column, CreateDateColumn, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { HookKind } from '../hook-kinds.js';

/** An event that is delivered to at least one hook. */
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

  /** A payload that is not complete yet: that of a push lacks files. Empty for other kinds. */
  @Column({ type: 'json', name: 'facts' })
  payload!: object;

  /** The request body, the same bytes in every attempt; that of a push is null until the first attempt. */
  @Column({ type: 'text', nullable: true })
  body!: string | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
