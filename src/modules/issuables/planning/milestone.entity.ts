import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryGeneratedColumn,
  UpdateDateColumn,
} from 'typeorm';
import { Namespace } from '../../groups/index.js';
import { Project } from '../../projects/index.js';

export type MilestoneState = 'active' | 'closed';

/**
 * A milestone of a project or of a group (docs/reference/milestones.md#the-milestone-object). A trigger keeps the titles of a group and
 * those of its projects apart.
 */
@Entity('milestones')
@Index('milestones_iid_key', ['projectId', 'iid'], { unique: true })
@Index('milestones_title_key', ['projectId', 'title'], { unique: true })
@Index('milestones_project_idx', ['projectId', 'id'])
@Index('milestones_group_iid_key', ['groupId', 'iid'], { unique: true })
@Index('milestones_group_title_key', ['groupId', 'title'], { unique: true })
@Index('milestones_group_idx', ['groupId', 'id'])
@Check('milestones_owner_check', 'num_nonnulls(project_id, group_id) = 1')
export class Milestone {
  @PrimaryGeneratedColumn('identity', { type: 'int', primaryKeyConstraintName: 'milestones_pkey' })
  id!: number;

  /** Number within the project or group. */
  @Column({ type: 'int' })
  iid!: number;

  /** Null for a milestone of a group. */
  @Column({ type: 'int', nullable: true })
  @ForeignKey(() => Project, { name: 'milestones_project_fkey', onDelete: 'CASCADE' })
  projectId!: number | null;

  /** Null for a milestone of a project. */
  @Column({ type: 'int', nullable: true })
  @ForeignKey(() => Namespace, { name: 'milestones_group_fkey', onDelete: 'CASCADE' })
  groupId!: number | null;

  @Column({ type: 'varchar', length: 255 })
  title!: string;

  @Column({ type: 'text', nullable: true })
  description!: string | null;

  @Column({ type: 'varchar', length: 8, default: 'active' })
  state!: MilestoneState;

  /** A day, `YYYY-MM-DD`. */
  @Column({ type: 'date', nullable: true })
  dueDate!: string | null;

  /** A day, `YYYY-MM-DD`. */
  @Column({ type: 'date', nullable: true })
  startDate!: string | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}
