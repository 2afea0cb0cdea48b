import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../../users/index.js';
import { Namespace } from '../namespaces/namespace.entity.js';

/** The membership of a user in a group. */
@Entity('group_members')
@Index('group_members_user_idx', ['userId'])
@Index('group_members_expiry_idx', ['expiresAt'], { where: 'expires_at IS NOT NULL' })
export class GroupMember {
  @PrimaryColumn({ type: 'int', primaryKeyConstraintName: 'group_members_pkey' })
  @ForeignKey(() => Namespace, { name: 'group_members_group_fkey', onDelete: 'CASCADE' })
  groupId!: number;

  @PrimaryColumn({ type: 'int', primaryKeyConstraintName: 'group_members_pkey' })
  @ForeignKey(() => User, { name: 'group_members_user_fkey', onDelete: 'CASCADE' })
  userId!: number;

  /** 10 guest, 20 reporter, 30 developer, 40 master, 50 owner. */
  @Column({ type: 'smallint' })
  accessLevel!: number;

  /** The membership gives nothing from 00:00 UTC of this date on. */
  @Column({ type: 'date', nullable: true })
  expiresAt!: string | null;

  @Column({ type: 'smallint', default: 3 })
  notificationLevel!: number;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
