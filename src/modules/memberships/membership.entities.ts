import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryColumn,
  PrimaryGeneratedColumn,
} from 'typeorm';
import { Namespace } from '../groups/index.js';
import { Project } from '../projects/index.js';
import { User } from '../users/index.js';

/** The membership of a user in a group. */
@Entity('group_members')
@Index('group_members_user_idx', ['userId'])
@Index('group_members_expiry_idx', ['expiresAt'], { where: 'expires_at IS NOT NULL' })
export class GroupMember {
  @PrimaryColumn({ type: 'int', primaryKeyConstraintName: 'group_members_pkey' })
  @ForeignKey(() => Namespace, { name: 'group_members_group_fkey', onDelete: 'CASCADE' })
  groupId!: number;

  @PrimaryColumn({ type: 'int', primaryKeyConstraintName: 'group_members_pkey' })
  @ForeignKey(() => User, { name: 'group_members_user_fkey', onDelete: 'CASCADE' })
  userId!: number;

  /** 10 guest, 20 reporter, 30 developer, 40 master, 50 owner. */
  @Column({ type: 'smallint' })
  accessLevel!: number;

  /** The membership gives nothing from 00:00 UTC of this date on. */
  @Column({ type: 'date', nullable: true })
  expiresAt!: string | null;

  @Column({ type: 'smallint', default: 3 })
  notificationLevel!: number;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}

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
