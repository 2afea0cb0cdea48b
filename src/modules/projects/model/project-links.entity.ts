import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  UpdateDateColumn,
} from 'typeorm';
import { SshKey, User } from '../../users/index.js';
import { Project } from './project.entity.js';

/** Links a deploy key to a project that it may read, and perhaps push to. */
@Entity('deploy_keys_projects')
@Index('deploy_keys_projects_key_idx', ['deployKeyId'])
@Index('deploy_keys_projects_pusher_idx', ['pusherId'], { where: 'pusher_id IS NOT NULL' })
export class DeployKeyProject {
  @PrimaryColumn({ type: 'int', primaryKeyConstraintName: 'deploy_keys_projects_pkey' })
  @ForeignKey(() => Project, { name: 'deploy_keys_projects_project_fkey', onDelete: 'CASCADE' })
  projectId!: number;

  @PrimaryColumn({ type: 'int', primaryKeyConstraintName: 'deploy_keys_projects_pkey' })
  @ForeignKey(() => SshKey, { name: 'deploy_keys_projects_key_fkey', onDelete: 'CASCADE' })
  deployKeyId!: number;

  /** The account that let the key push to the project, in whose name it does; null for a key that only reads. */
  @Column({ type: 'int', nullable: true })
  @ForeignKey(() => User, { name: 'deploy_keys_projects_pusher_fkey', onDelete: 'SET NULL' })
  pusherId!: number | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}

/**
 * The star of a user on a project. It survives the loss of access
 * (docs/reference/projects.md#activity-and-stars).
 */
@Entity('project_stars')
@Index('project_stars_user_idx', ['userId'])
export class ProjectStar {
  @PrimaryColumn({ type: 'int', primaryKeyConstraintName: 'project_stars_pkey' })
  @ForeignKey(() => Project, { name: 'project_stars_project_fkey', onDelete: 'CASCADE' })
  projectId!: number;

  @PrimaryColumn({ type: 'int', primaryKeyConstraintName: 'project_stars_pkey' })
  @ForeignKey(() => User, { name: 'project_stars_user_fkey', onDelete: 'CASCADE' })
  userId!: number;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}

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
