import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Project } from '../../projects/index.js';
import { User } from '../../users/index.js';
import type { IssuableType } from '../model/issuable.js';

const KEY = { primaryKeyConstraintName: 'subscriptions_pkey' };

/** A user's choice to be subscribed or not. Without a choice, participants are subscribed (docs/reference/issues.md#subscriptions). */
@Entity('subscriptions')
@Index('subscriptions_user_idx', ['userId'])
@Index('subscriptions_project_idx', ['projectId'])
export class Subscription {
  @PrimaryColumn({ type: 'varchar', length: 16, ...KEY })
  targetType!: IssuableType | 'Label';

  @PrimaryColumn({ type: 'int', ...KEY })
  targetId!: number;

  @PrimaryColumn({ type: 'int', ...KEY })
  @ForeignKey(() => User, { name: 'subscriptions_user_fkey', onDelete: 'CASCADE' })
  userId!: number;

  /** Null for a label of a group. */
  @Column({ type: 'int', nullable: true })
  @ForeignKey(() => Project, { name: 'subscriptions_project_fkey', onDelete: 'CASCADE' })
  projectId!: number | null;

  @Column({ type: 'boolean' })
  subscribed!: boolean;
}
