import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryGeneratedColumn,
} from 'typeorm';
import { Project } from '../../../projects/index.js';
import { User } from '../../../users/index.js';
import type { StatusState } from './status.rules.js';

/**
 * A status that an external service reports of a commit
 * (docs/reference/commit-statuses.md#the-commit-status-object).
 */
@Entity('commit_statuses')
@Index('commit_statuses_commit_idx', ['projectId', 'sha', 'ref', 'name', 'id'])
@Index('commit_statuses_author_idx', ['authorId', 'id'])
// The order of the lists of pipelines: made by the migration.
@Index('commit_statuses_project_idx', { synchronize: false })
@Index('commit_statuses_ref_idx', { synchronize: false })
// At most one unfinished status of each name: made by the migration.
@Index('commit_statuses_unfinished_key', { synchronize: false })
export class CommitStatus {
  @PrimaryGeneratedColumn('identity', {
    type: 'int',
    primaryKeyConstraintName: 'commit_statuses_pkey',
  })
  id!: number;

  @Column({ type: 'int' })
  @ForeignKey(() => Project, { name: 'commit_statuses_project_fkey', onDelete: 'CASCADE' })
  projectId!: number;

  /** The full hash. */
  @Column({ type: 'varchar', length: 40 })
  sha!: string;

  /** The name of the branch or tag, without `refs/heads/`. */
  @Column({ type: 'varchar', length: 255 })
  ref!: string;

  @Column({ type: 'varchar', length: 255 })
  name!: string;

  @Column({ type: 'varchar', length: 16 })
  status!: StatusState;

  @Column({ type: 'boolean', default: false })
  allowFailure!: boolean;

  @Column({ type: 'text', nullable: true })
  description!: string | null;

  @Column({ type: 'text', nullable: true })
  targetUrl!: string | null;

  /** Percent of the code that tests cover. */
  @Column({ type: 'double precision', nullable: true })
  coverage!: number | null;

  @Column({ type: 'int' })
  @ForeignKey(() => User, { name: 'commit_statuses_author_fkey' })
  authorId!: number;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  startedAt!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  finishedAt!: Date | null;
}
