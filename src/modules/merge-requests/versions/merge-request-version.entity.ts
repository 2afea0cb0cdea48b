import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryGeneratedColumn,
} from 'typeorm';
import { MergeRequest } from '../model/merge-request.entity.js';

/** `empty`: no commits. `overflow`: more changes than are shown. */
export type VersionState = 'collected' | 'empty' | 'overflow';

/** A version of a merge request (docs/reference/merge-requests.md#versions). Rows never change. */
@Entity('merge_request_versions')
@Index('merge_request_versions_request_idx', ['mergeRequestId', 'id'])
export class MergeRequestVersion {
  @PrimaryGeneratedColumn('identity', {
    type: 'int',
    primaryKeyConstraintName: 'merge_request_versions_pkey',
  })
  id!: number;

  @Column({ type: 'int' })
  @ForeignKey(() => MergeRequest, {
    name: 'merge_request_versions_request_fkey',
    onDelete: 'CASCADE',
  })
  mergeRequestId!: number;

  /** The merge base; null when the histories have no commit in common. */
  @Column({ type: 'varchar', length: 40, nullable: true })
  baseCommitSha!: string | null;

  /** Head of the target branch. */
  @Column({ type: 'varchar', length: 40 })
  startCommitSha!: string;

  /** Head of the source branch. */
  @Column({ type: 'varchar', length: 40 })
  headCommitSha!: string;

  @Column({ type: 'varchar', length: 10 })
  state!: VersionState;

  /** The number of changed files, with a `+` when the list is cut; null without commits. */
  @Column({ type: 'varchar', length: 8, nullable: true })
  realSize!: string | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
