import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryGeneratedColumn,
} from 'typeorm';
import { Hook } from '../hook.entity.js';
import type { HookKind } from '../hook-kinds.js';
import type { FailureCause } from './failure-cause.js';
import { HookEvent } from './hook-event.entity.js';

/** `pending` until it was delivered or given up. */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;

export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** One event on its way to one hook; kept for thirty days as the hook's delivery log. */
@Entity('hook_deliveries')
@Index('hook_deliveries_hook_idx', ['hookId', 'id'])
@Index('hook_deliveries_event_idx', ['eventId'])
@Index('hook_deliveries_created_idx', ['createdAt'])
@Index('hook_deliveries_pending_idx', ['createdAt'], { where: `state = 'pending'` })
@Index('hook_deliveries_kind_idx', ['hookId', 'kind', 'id'])
@Index('hook_deliveries_undelivered_idx', ['hookId', 'state', 'id'], {
  where: `state <> 'delivered'`,
})
@Index('hook_deliveries_cause_idx', ['cause', 'state'], { where: 'cause IS NOT NULL' })
export class HookDelivery {
  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    primaryKeyConstraintName: 'hook_deliveries_pkey',
  })
  id!: string;

  @Column({ type: 'int' })
  @ForeignKey(() => Hook, { name: 'hook_deliveries_hook_fkey', onDelete: 'CASCADE' })
  hookId!: number;

  @Column({ type: 'bigint' })
  @ForeignKey(() => HookEvent, { name: 'hook_deliveries_event_fkey' })
  eventId!: string;

  /** That of the event. */
  @Column({ type: 'varchar', length: 32 })
  kind!: HookKind;

  /** What receivers tell repeats by: one for an event and a hook. */
  @Column({ type: 'varchar', length: 40 })
  messageId!: string;

  @Column({ type: 'varchar', length: 9, default: 'pending' })
  state!: DeliveryState;

  /** Counts the jobs made for it: only the job of this turn may act. */
  @Column({ type: 'int', default: 0 })
  turn!: number;

  /** Since it was queued, or repeated by hand. */
  @Column({ type: 'int', default: 0 })
  attempts!: number;

  /** When the next attempt is due; null for the first, which is due at once, and after the last. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  nextAt!: Date | null;

  /** When the last attempt began; this and the following describe the last attempt. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  attemptedAt!: Date | null;

  /** Without the token, the signature and the password. */
  @Column({ type: 'json', nullable: true })
  requestHeaders!: Record<string, string> | null;

  @Column({ type: 'int', nullable: true })
  responseStatus!: number | null;

  @Column({ type: 'json', nullable: true })
  responseHeaders!: Record<string, string> | null;

  /** What was read of it, at most 64 KB. */
  @Column({ type: 'text', nullable: true })
  responseBody!: string | null;

  @Column({ type: 'int', nullable: true })
  durationMs!: number | null;

  /** Why the last attempt failed; null when it succeeded. */
  @Column({ type: 'varchar', length: 16, nullable: true })
  cause!: FailureCause | null;

  /** The cause in words. */
  @Column({ type: 'text', nullable: true })
  message!: string | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  finishedAt!: Date | null;
}
