import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryColumn,
  PrimaryGeneratedColumn,
} from 'typeorm';
import { Milestone, StateCounts } from '../../issuables/index.js';
import { Project } from '../../projects/index.js';
import { User } from '../../users/index.js';

export type IssueState = 'opened' | 'closed';

/** An issue (docs/reference/issues.md#the-issue-object). */
@Entity('issues')
@Index('issues_iid_key', ['projectId', 'iid'], { unique: true })
@Index('issues_updated_by_idx', ['updatedById'], { where: 'updated_by_id IS NOT NULL' })
@Index('issues_moved_to_idx', ['movedToId'], { where: 'moved_to_id IS NOT NULL' })
@Index('issues_confidential_author_idx', ['authorId', 'projectId'], {
  where: 'confidential AND deleted_at IS NULL',
})
// GIN indexes of assignees; created by the migration.
@Index('issues_assignees_idx', { synchronize: false })
@Index('issues_confidential_assignees_idx', { synchronize: false })
// The orders of the lists, with the columns of filters and counts; created by the migration.
@Index('issues_confidential_readers_idx', { synchronize: false })
@Index('issues_created_idx', { synchronize: false })
@Index('issues_updated_idx', { synchronize: false })
@Index('issues_milestone_idx', { synchronize: false })
@Index('issues_no_milestone_idx', { synchronize: false })
@Index('issues_project_milestone_idx', { synchronize: false })
@Index('issues_author_created_idx', { synchronize: false })
@Index('issues_author_updated_idx', { synchronize: false })
export class Issue {
  @PrimaryGeneratedColumn('identity', { type: 'int', primaryKeyConstraintName: 'issues_pkey' })
  id!: number;

  @Column({ type: 'int' })
  iid!: number;

  @Column({ type: 'int' })
  @ForeignKey(() => Project, { name: 'issues_project_fkey', onDelete: 'CASCADE' })
  projectId!: number;

  @Column({ type: 'int' })
  @ForeignKey(() => User, { name: 'issues_author_fkey' })
  authorId!: number;

  /** IDs of users, in the order in which they were given; `MAX_PEOPLE` at most. */
  @Column({ type: 'int', array: true, default: '{}' })
  assigneeIds!: readonly number[];

  /** The user who changed it last; null if it never changed. */
  @Column({ type: 'int', nullable: true })
  @ForeignKey(() => User, { name: 'issues_updated_by_fkey' })
  updatedById!: number | null;

  @Column({ type: 'int', nullable: true })
  @ForeignKey(() => Milestone, { name: 'issues_milestone_fkey', onDelete: 'SET NULL' })
  milestoneId!: number | null;

  @Column({ type: 'varchar', length: 255 })
  title!: string;

  @Column({ type: 'text', nullable: true })
  description!: string | null;

  @Column({ type: 'varchar', length: 8, default: 'opened' })
  state!: IssueState;

  /**
   * For its author, its assignees and members from reporter on
   * (docs/reference/issues.md#confidential-issues).
   */
  @Column({ type: 'boolean', default: false })
  confidential!: boolean;

  /** Whether members of the project alone may comment; null while it was never set. */
  @Column({ type: 'boolean', nullable: true })
  discussionLocked!: boolean | null;

  /** A day, `YYYY-MM-DD`. */
  @Column({ type: 'date', nullable: true })
  dueDate!: string | null;

  /** Seconds, as of the time that was spent. */
  @Column({ type: 'int', default: 0 })
  timeEstimate!: number;

  @Column({ type: 'int', default: 0 })
  totalTimeSpent!: number;

  /** The issue in another project that it was moved to. */
  @Column({ type: 'int', nullable: true })
  @ForeignKey(() => Issue, { name: 'issues_moved_to_fkey', onDelete: 'SET NULL' })
  movedToId!: number | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** Without system notes. Triggers maintain it, like the next two (docs/decisions/0042-kept-counters.md). */
  @Column({ type: 'int', default: 0 })
  userNotesCount!: number;

  @Column({ type: 'int', default: 0 })
  upvotes!: number;

  @Column({ type: 'int', default: 0 })
  downvotes!: number;

  /** Set by the services with every change of the issue and with every note and award. */
  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt!: Date;

  /** When the issue was deleted; null while it can be read. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  deletedAt!: Date | null;
}

/**
 * The numbers of issues of a project by state: `open_issues_count` and totals of lists. Triggers maintain them
 * (docs/decisions/0042-kept-counters.md). There is no row for a project without issues.
 */
@Entity('issue_counts')
export class IssueCount extends StateCounts {
  @PrimaryColumn({ type: 'int', primaryKeyConstraintName: 'issue_counts_pkey' })
  @ForeignKey(() => Project, { name: 'issue_counts_project_fkey', onDelete: 'CASCADE' })
  projectId!: number;
}
