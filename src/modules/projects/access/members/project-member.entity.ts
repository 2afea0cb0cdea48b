import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../../../users/index.js';
import { Project } from '../../model/project.entity.js';

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
