import { CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../../users/index.js';
import { Project } from '../model/project.entity.js';

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
