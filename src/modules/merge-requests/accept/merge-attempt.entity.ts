import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../../users/index.js';
import { MergeRequest } from '../merge-request.entity.js';

/**
 * A merge that is under way: committed before the target branch moves, gone with the record of the
 * merge. Whoever records the push knows by it whose merge it was, also after a crash.
 */
@Entity('merge_attempts')
@Index('merge_attempts_user_idx', ['userId'])
export class MergeAttempt {
  @PrimaryColumn({ type: 'int', primaryKeyConstraintName: 'merge_attempts_pkey' })
  @ForeignKey(() => MergeRequest, { name: 'merge_attempts_request_fkey', onDelete: 'CASCADE' })
  mergeRequestId!: number;

  /** The merge commit. */
  @Column({ type: 'varchar', length: 40 })
  commitSha!: string;

  /** Who merges. */
  @Column({ type: 'int' })
  @ForeignKey(() => User, { name: 'merge_attempts_user_fkey', onDelete: 'CASCADE' })
  userId!: number;

  @Column({ type: 'boolean' })
  shouldRemoveSourceBranch!: boolean;

  /** Whether who merges said either. */
  @Column({ type: 'boolean', default: false })
  shouldRemoveGiven!: boolean;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
