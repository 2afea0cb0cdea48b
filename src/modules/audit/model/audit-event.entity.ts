import { Column, CreateDateColumn, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { AuditAction, AuditTargetType } from './audit-actions.js';

/**
 * An entry of the audit log: who did what to which target, and from where. See docs/reference/audit-events.md.
 *
 * Names are those of the moment, and no column is a foreign key: an entry outlives what it is about.
 */
@Entity('audit_events')
@Index('audit_events_created_idx', ['createdAt', 'id'])
@Index('audit_events_author_idx', ['authorId', 'createdAt', 'id'], {
  where: 'author_id IS NOT NULL',
})
@Index('audit_events_action_idx', ['action', 'createdAt', 'id'])
@Index('audit_events_target_type_idx', ['targetType', 'createdAt', 'id'], {
  where: 'target_type IS NOT NULL',
})
@Index('audit_events_target_idx', ['targetType', 'targetId', 'createdAt', 'id'], {
  where: 'target_id IS NOT NULL',
})
@Index('audit_events_project_idx', ['projectId', 'createdAt', 'id'], {
  where: 'project_id IS NOT NULL',
})
@Index('audit_events_group_idx', ['groupId', 'createdAt', 'id'], { where: 'group_id IS NOT NULL' })
@Index('audit_events_ip_idx', ['ip', 'createdAt', 'id'], { where: 'ip IS NOT NULL' })
export class AuditEvent {
  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    primaryKeyConstraintName: 'audit_events_pkey',
  })
  id!: string;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'varchar', length: 64 })
  action!: AuditAction;

  /** The account that acted; null for the command line, for jobs and for requests without an account. */
  @Column({ type: 'int', nullable: true })
  authorId!: number | null;

  /** Its user name, or what acted in its place. */
  @Column({ type: 'varchar', length: 255 })
  authorName!: string;

  /** The administrator who acted as the author by `sudo`. */
  @Column({ type: 'int', nullable: true })
  administratorId!: number | null;

  @Column({ type: 'varchar', length: 255, nullable: true })
  administratorName!: string | null;

  @Column({ type: 'varchar', length: 32, nullable: true })
  targetType!: AuditTargetType | null;

  @Column({ type: 'int', nullable: true })
  targetId!: number | null;

  @Column({ type: 'varchar', length: 255, nullable: true })
  targetName!: string | null;

  /** The project that the action was in, if any. */
  @Column({ type: 'int', nullable: true })
  projectId!: number | null;

  @Column({ type: 'int', nullable: true })
  groupId!: number | null;

  /** The client's address; null for what no request did. */
  @Column({ type: 'inet', nullable: true })
  ip!: string | null;

  @Column({ type: 'varchar', length: 64, nullable: true })
  requestId!: string | null;

  @Column({ type: 'jsonb', default: {} })
  details!: AuditDetails;
}

/** What else there is to say about an action; never a secret, an e-mail address or a full name. */
export type AuditDetails = Readonly<Record<string, AuditValue>>;

export type AuditValue =
  string | number | boolean | null | readonly AuditValue[] | { readonly [key: string]: AuditValue };
