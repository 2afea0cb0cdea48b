import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryGeneratedColumn,
  UpdateDateColumn,
} from 'typeorm';
import { Project } from '../../model/project.entity.js';

/** The relation of a fork to its source (docs/reference/projects.md#forks). */
@Entity('fork_links')
@Index('fork_links_to_key', ['forkedToProjectId'], { unique: true })
@Index('fork_links_from_idx', ['forkedFromProjectId'])
export class ForkLink {
  @PrimaryGeneratedColumn('identity', { type: 'int', primaryKeyConstraintName: 'fork_links_pkey' })
  id!: number;

  @Column({ type: 'int' })
  @ForeignKey(() => Project, { name: 'fork_links_to_fkey', onDelete: 'CASCADE' })
  forkedToProjectId!: number;

  @Column({ type: 'int' })
  @ForeignKey(() => Project, { name: 'fork_links_from_fkey', onDelete: 'CASCADE' })
  forkedFromProjectId!: number;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}
