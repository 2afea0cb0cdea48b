import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryGeneratedColumn,
} from 'typeorm';
import { Hook, type HookKind, type HookVersion } from '../model/hook.entity.js';

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

  /** The version of the API that the payload is of. */
  @Column({ type: 'smallint', default: 3 })
  apiVersion!: HookVersion;

  /** Identifies an event of version 4 to its receivers. */
  @Column({ type: 'uuid', nullable: true })
  uuid!: string | null;

  /** A payload that is not complete yet: that of a push lacks files, others the texts of a commit. Empty for other kinds. */
  @Column({ type: 'json', name: 'facts' })
  payload!: object;

  /** The request body, the same bytes in every attempt; null until the payload is complete. */
  @Column({ type: 'text', nullable: true })
  body!: string | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}

/** `pending` until an attempt succeeds or none is left. */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;

export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Why an attempt failed. */
export const FAILURE_CAUSES = [
  /** The status of the response is not 2xx. */
  'status',
  /** The receiver responded 410: it wants no more deliveries. */
  'gone',
  /** No complete response within ten seconds. */
  'timeout',
  /** The connection was refused, reset or closed. */
  'network',
  /** The name has no address. */
  'dns',
  /** The certificate or the handshake. */
  'tls',
  /** The address may not be connected to, or is invalid. */
  'refused',
  /** The request could not be built. */
  'payload',
  /** The hook was disabled before the delivery was attempted. */
  'disabled',
] as const;

export type FailureCause = (typeof FAILURE_CAUSES)[number];

/**
 * A delivery of one event to one hook, kept for thirty days as the hook's delivery log. See
 * docs/reference/hooks.md#the-delivery-object.
 */
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

  /** The kind of the event. */
  @Column({ type: 'varchar', length: 32 })
  kind!: HookKind;

  /** Identifies the delivery to its receiver: the same in every attempt. */
  @Column({ type: 'varchar', length: 40 })
  messageId!: string;

  @Column({ type: 'varchar', length: 9, default: 'pending' })
  state!: DeliveryState;

  /** Counts the jobs of the delivery: only the job of the current turn may attempt it. */
  @Column({ type: 'int', default: 0 })
  turn!: number;

  /** Attempts since the delivery was queued or, on request, repeated. */
  @Column({ type: 'int', default: 0 })
  attempts!: number;

  /** When the next attempt is due; null before the first, which is due at once, and after the last. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  nextAt!: Date | null;

  /** When the last attempt began. The following columns describe that attempt. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  attemptedAt!: Date | null;

  /** Without token, signature and password. */
  @Column({ type: 'json', nullable: true })
  requestHeaders!: Record<string, string> | null;

  @Column({ type: 'int', nullable: true })
  responseStatus!: number | null;

  @Column({ type: 'json', nullable: true })
  responseHeaders!: Record<string, string> | null;

  /** The first 64 KiB at most. */
  @Column({ type: 'text', nullable: true })
  responseBody!: string | null;

  @Column({ type: 'int', nullable: true })
  durationMs!: number | null;

  /** Null when the attempt succeeded. */
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
