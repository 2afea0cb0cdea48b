import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../../users/index.js';
import { MergeRequest } from '../model/merge-request.entity.js';

/**
 * An attempt to merge: committed before the target branch moves, deleted when the merge is finished. The record of
 * the push finds by it which merge the push is, and whose, also after a crash (docs/decisions/0026-accepting.md).
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

  /** The user who merges. */
  @Column({ type: 'int' })
  @ForeignKey(() => User, { name: 'merge_attempts_user_fkey', onDelete: 'CASCADE' })
  userId!: number;

  @Column({ type: 'boolean' })
  shouldRemoveSourceBranch!: boolean;

  /**
   * Whether the request to merge contained `should_remove_source_branch`. Rows of older versions: only if it is
   * true.
   */
  @Column({ type: 'boolean', default: false })
  shouldRemoveGiven!: boolean;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
