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
import { Namespace } from '../../groups/index.js';
import { SshKey, User } from '../../users/index.js';
import { Project } from './project.entity.js';

/** Direct membership of a user in a project (docs/reference/members.md#access-levels). */
@Entity('project_members')
@Index('project_members_user_idx', ['userId'])
@Index('project_members_expiry_idx', ['expiresAt'], { where: 'expires_at IS NOT NULL' })
export class ProjectMember {
  @PrimaryColumn({ type: 'int', primaryKeyConstraintName: 'project_members_pkey' })
  @ForeignKey(() => Project, { name: 'project_members_project_fkey', onDelete: 'CASCADE' })
  projectId!: number;

  @PrimaryColumn({ type: 'int', primaryKeyConstraintName: 'project_members_pkey' })
  @ForeignKey(() => User, { name: 'project_members_user_fkey', onDelete: 'CASCADE' })
  userId!: number;

  /** 10 guest, 20 reporter, 30 developer, 40 master. */
  @Column({ type: 'smallint' })
  accessLevel!: number;

  /** From 00:00 UTC of this date on the membership gives no access. */
  @Column({ type: 'date', nullable: true })
  expiresAt!: string | null;

  @Column({ type: 'smallint', default: 3 })
  notificationLevel!: number;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}

/** Access to a project for the members of a group (docs/reference/members.md#post-projectsidshare). */
@Entity('project_group_links')
@Index('project_group_links_key', ['projectId', 'groupId'], { unique: true })
@Index('project_group_links_group_idx', ['groupId'])
@Index('project_group_links_expiry_idx', ['expiresAt'], { where: 'expires_at IS NOT NULL' })
export class ProjectShare {
  @PrimaryGeneratedColumn('identity', {
    type: 'int',
    primaryKeyConstraintName: 'project_group_links_pkey',
  })
  id!: number;

  @Column({ type: 'int' })
  @ForeignKey(() => Project, { name: 'project_group_links_project_fkey', onDelete: 'CASCADE' })
  projectId!: number;

  @Column({ type: 'int' })
  @ForeignKey(() => Namespace, { name: 'project_group_links_group_fkey', onDelete: 'CASCADE' })
  groupId!: number;

  /** The highest level it gives: 10, 20, 30 or 40. */
  @Column({ type: 'smallint' })
  groupAccess!: number;

  /** From 00:00 UTC of this date on the share gives no access. */
  @Column({ type: 'date', nullable: true })
  expiresAt!: string | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}

/** Links a deploy key to a project that it may read. */
@Entity('deploy_keys_projects')
@Index('deploy_keys_projects_key_idx', ['deployKeyId'])
export class DeployKeyProject {
  @PrimaryColumn({ type: 'int', primaryKeyConstraintName: 'deploy_keys_projects_pkey' })
  @ForeignKey(() => Project, { name: 'deploy_keys_projects_project_fkey', onDelete: 'CASCADE' })
  projectId!: number;

  @PrimaryColumn({ type: 'int', primaryKeyConstraintName: 'deploy_keys_projects_pkey' })
  @ForeignKey(() => SshKey, { name: 'deploy_keys_projects_key_fkey', onDelete: 'CASCADE' })
  deployKeyId!: number;

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
