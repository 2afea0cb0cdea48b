import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryGeneratedColumn,
} from 'typeorm';
import { Namespace } from '../../../groups/index.js';
import { Project } from '../../model/project.entity.js';

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
