import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryGeneratedColumn,
  UpdateDateColumn,
} from 'typeorm';
import { Project } from '../../projects/index.js';

export type MilestoneState = 'active' | 'closed';

/** A milestone of a project (docs/reference/milestones.md#the-milestone-object). */
@Entity('milestones')
@Index('milestones_iid_key', ['projectId', 'iid'], { unique: true })
@Index('milestones_title_key', ['projectId', 'title'], { unique: true })
@Index('milestones_project_idx', ['projectId', 'id'])
export class Milestone {
  @PrimaryGeneratedColumn('identity', { type: 'int', primaryKeyConstraintName: 'milestones_pkey' })
  id!: number;

  @Column({ type: 'int' })
  iid!: number;

  @Column({ type: 'int' })
  @ForeignKey(() => Project, { name: 'milestones_project_fkey', onDelete: 'CASCADE' })
  projectId!: number;

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
